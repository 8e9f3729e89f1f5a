// Rules about images.

function images({ all, styleOf, isShown, report }) {
  for (const element of all) {
    if (element.localName !== 'img' || !isShown(element)) continue;
    const { naturalWidth, naturalHeight, complete } = element;
    const source = element.currentSrc || element.src;
    if (complete && naturalWidth === 0 && source !== '') {
      report('image-broken', 'error', element, 'The image did not load or cannot be decoded.');
      continue;
    }
    const style = styleOf(element);
    const inner = { width: element.clientWidth, height: element.clientHeight };
    inner.width -= parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
    inner.height -= parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
    const small = Math.min(naturalWidth, naturalHeight, inner.width, inner.height) < 8;
    if (small || style.objectFit !== 'fill') continue;
    const stretch = inner.width / inner.height / (naturalWidth / naturalHeight);
    if (Math.max(stretch, 1 / stretch) > 1.1) {
      const shown = `${Math.round(inner.width)} × ${Math.round(inner.height)}`;
      report('image-distorted', 'warning', element, `${naturalWidth} × ${naturalHeight} drawn as ${shown}.`);
    }
  }
}
