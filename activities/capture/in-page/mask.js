/**
 * Runs in the page, as plain text: lays an opaque box over every element that matches, above everything else that the
 * page shows, dialogs included.
 */
function mask({ selectors, colour }) {
  const layer = document.createElement('div');
  layer.popover = 'manual';
  layer.style.cssText =
    'all: initial; position: absolute; inset: 0 auto auto 0; width: 0; height: 0; overflow: visible; pointer-events: none;';
  layer.style.zoom = String(1 / (document.documentElement.currentCSSZoom ?? 1)); // Boxes are told in pixels as they are shown.
  for (const element of document.querySelectorAll(selectors.join(','))) {
    const { left, top, width, height } = plain(element).getBoundingClientRect();
    if (width === 0 || height === 0) continue;
    const box = document.createElement('div');
    box.style.cssText = `all: initial; position: absolute; background: ${colour};`;
    box.style.left = `${left + window.scrollX}px`;
    box.style.top = `${top + window.scrollY}px`;
    box.style.width = `${width}px`;
    box.style.height = `${height}px`;
    layer.append(box);
  }
  document.documentElement.append(layer);
  layer.showPopover();
}
