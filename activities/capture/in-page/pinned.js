/**
 * Runs in the page, as plain text: hides what stays in the window while the page is scrolled, and shows it again as it was.
 * What holds a frame stays, since the frame is what is looked at.
 */
function pinned({ hide }) {
  const HIDDEN = Symbol.for('darkroom.pinned');
  const SHEET = Symbol.for('darkroom.unpinned');
  const FRAMES = 'iframe, frame, object, embed';

  function* elementsIn(root) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* elementsIn(element.shadowRoot);
    }
  }

  /** At once, whatever the page has things do when they change. */
  function set(element, changes) {
    const { style } = plain(element);
    for (const [name, value, priority] of changes) {
      style.setProperty(name, value, priority);
      getComputedStyle(element).opacity; // Makes it so, before the next change.
    }
  }

  const kept = ({ style }, name) => [name, style.getPropertyValue(name), style.getPropertyPriority(name)];

  // Dialogs darken the window and not the page; a page that snaps cannot be scrolled to where it does not.
  const sheet = (window[SHEET] ??= new CSSStyleSheet());
  sheet.replaceSync('::backdrop { opacity: 0 !important } html, body { scroll-snap-type: none !important }');
  const others = document.adoptedStyleSheets.filter((one) => one !== sheet);
  document.adoptedStyleSheets = hide ? [...others, sheet] : others;

  for (const [element, changes] of window[HIDDEN] ?? []) set(element, changes);
  window[HIDDEN] = [];
  if (!hide) return;
  for (const element of elementsIn(document.documentElement)) {
    if (!/^(fixed|sticky)$/.test(getComputedStyle(element).position)) continue;
    if (!('style' in element) || Element.prototype.querySelector.call(element, FRAMES) !== null) continue;
    window[HIDDEN].push([element, ['opacity', 'transition'].map((name) => kept(plain(element), name))]);
    set(element, [
      ['transition', 'none', 'important'],
      ['opacity', '0', 'important'],
    ]);
  }
}
