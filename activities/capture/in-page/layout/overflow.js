// Rules about what lies outside of where it can be seen.

function horizontalOverflow({ view, width, all, boxOf, isShown, isContained, report }) {
  const cutOff = [view, document.body].some((root) => root && /hidden|clip/.test(getComputedStyle(root).overflowX));
  if (cutOff || view.scrollWidth <= width + SLACK) return;
  const right = (element) => boxOf(element).right + scrollX;
  const wide = all.filter((element) => right(element) > width + SLACK && isShown(element) && !isContained(element));
  // The innermost ones are the cause; their ancestors only go along.
  for (const element of wide.filter((one) => !wide.some((other) => other !== one && plain(one).contains(other)))) {
    report(
      'horizontal-overflow',
      'error',
      element,
      `Reaches to ${Math.round(right(element))} px; the window is ${width} px wide.`,
    );
  }
}

function contentClipped({ all, styleOf, speaks, quote, isForReaders, report }) {
  for (const element of all) {
    const style = styleOf(element);
    if (!/hidden|clip/.test(`${style.overflowX} ${style.overflowY}`) || !speaks(element)) continue;
    if (style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || isForReaders(element)) continue;
    const { clientWidth, clientHeight, scrollWidth, scrollHeight } = plain(element);
    if (clientWidth === 0 || clientHeight === 0) continue;
    const sideways = style.overflowX !== 'visible' && scrollWidth > clientWidth + SLACK;
    const down = style.overflowY !== 'visible' && scrollHeight > clientHeight + SLACK;
    // A line box is often a little higher than a tight box around it; half a line of text is lost for sure.
    const lost = down && scrollHeight - clientHeight > parseFloat(style.fontSize) / 2;
    if (sideways || lost) report('content-clipped', 'warning', element, `Text is cut off: “${quote(element)}”`);
  }
}

function elementOffScreen({ all, boxOf, isShown, speaks, isForReaders, isContained, report }) {
  /** Farther away it was put there on purpose: hidden menus, text for screen readers. */
  const ON_PURPOSE = 2_000;
  for (const element of all) {
    const isContent = speaks(element) || element.localName === 'img';
    if (!isContent || !isShown(element) || isForReaders(element) || isContained(element)) continue;
    const box = boxOf(element);
    if (box.width <= 1 || box.height <= 1 || plain(element).closest('a[href^="#"]') !== null) continue;
    const right = box.right + scrollX;
    const bottom = box.bottom + scrollY;
    const left = right <= 0 && right > -ON_PURPOSE;
    const above = bottom <= 0 && bottom > -ON_PURPOSE;
    if (left || above) report('element-off-screen', 'warning', element, `Lies ${left ? 'left of' : 'above'} the page.`);
  }
}

function zeroSize({ all, boxOf, isShown, isForReaders, report }) {
  for (const element of all) {
    if (!/^(img|video|canvas|iframe|button|input)$/.test(element.localName) || element.type === 'hidden') continue;
    if (element.getClientRects().length === 0 || !isShown(element) || isForReaders(element)) continue;
    const box = boxOf(element);
    const hasNothing = element.localName === 'img' && element.naturalWidth <= 1;
    if ((box.width === 0 || box.height === 0) && !hasNothing) {
      report('zero-size', 'warning', element, `A ${element.localName} of ${box.width} × ${box.height} px.`);
    }
  }
}
