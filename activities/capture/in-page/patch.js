/** Runs in the page, as plain text: lays pictures of parts of the page over those parts, above everything. */
async function patch({ pictures }) {
  // A script may draw whatever the page's policy says of images, but where scripts are off no canvas is shown.
  const make = window.matchMedia('(scripting: none)').matches ? asImage : asCanvas;
  const layer = document.createElement('div');
  layer.popover = 'manual';
  layer.style.cssText =
    'all: initial; position: absolute; inset: 0 auto auto 0; width: 0; height: 0; overflow: visible; pointer-events: none;';
  layer.style.zoom = String(1 / (document.documentElement.currentCSSZoom ?? 1)); // Boxes are told in pixels as they are shown.
  for (const { x, y, width, height, png } of pictures) {
    const picture = await make(png);
    picture.style.cssText = 'all: initial; position: absolute; image-rendering: pixelated;';
    picture.style.left = `${x}px`;
    picture.style.top = `${y}px`;
    picture.style.width = `${width}px`;
    picture.style.height = `${height}px`;
    layer.append(picture);
  }
  document.documentElement.append(layer);
  layer.showPopover();

  async function asCanvas(png) {
    const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    return canvas;
  }

  async function asImage(png) {
    const image = document.createElement('img');
    image.decoding = 'sync';
    image.src = `data:image/png;base64,${png}`;
    await image.decode().catch(() => undefined); // Its place stays as it is where the page's policy refuses it.
    return image;
  }
}
