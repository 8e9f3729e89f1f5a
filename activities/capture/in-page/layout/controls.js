// Rules about what is pressed, and what is in the way of it.

/** WCAG 2.2, 2.5.8: 24 CSS pixels, but not for links in running text. */
function tapTargetTooSmall({ all, styleOf, boxOf, isShown, isForReaders, report, touch }) {
  const TARGET = 24;
  for (const element of all) {
    if (!/^(a|button|input|select)$/.test(element.localName) || element.type === 'hidden' || element.disabled) continue;
    if (!isShown(element) || isForReaders(element) || element.closest('label') !== null) continue;
    if (styleOf(element).display === 'inline' || (element.localName === 'a' && !element.hasAttribute('href'))) continue;
    const box = boxOf(element);
    if (box.width === 0 || box.height === 0 || (box.width >= TARGET && box.height >= TARGET)) continue;
    const size = `${Math.round(box.width)} × ${Math.round(box.height)} px`;
    report(
      'tap-target-too-small',
      touch ? 'warning' : 'info',
      element,
      `${size}; a finger needs ${TARGET} × ${TARGET}.`,
    );
  }
}

function fixedCoveringContent({ width, height, all, styleOf, boxOf, isShown, report }) {
  for (const element of all) {
    if (styleOf(element).position !== 'fixed' || !isShown(element)) continue;
    if (alphaOf(styleOf(element).backgroundColor) < 0.5 && styleOf(element).backgroundImage === 'none') continue;
    const box = boxOf(element);
    const across = Math.min(box.right, width) - Math.max(box.left, 0);
    const down = Math.min(box.bottom, height) - Math.max(box.top, 0);
    const share = (Math.max(0, across) * Math.max(0, down)) / (width * height);
    if (share > 0.4) {
      report('fixed-covering-content', 'warning', element, `Covers ${Math.round(share * 100)} % of the window.`);
    }
  }
}
