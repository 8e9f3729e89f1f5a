/**
 * Runs in the page, as plain text: hides what stays in the window while the page is scrolled, and shows it again as it was.
 * What holds a frame that lies outside the window stays, since the frame is what is looked at.
 */
function pinned({ hide }) {
  const HIDDEN = Symbol.for('darkroom.pinned');
  const SHEET = Symbol.for('darkroom.unpinned');
  const FRAMES = 'iframe, frame, object, embed';

  function* elementsIn(root) {
    const { prototype } = root instanceof Element ? Element : ShadowRoot;
    for (const element of prototype.querySelectorAll.call(root, '*')) {
      yield element;
      const { shadowRoot } = plain(element);
      if (shadowRoot instanceof ShadowRoot) yield* elementsIn(shadowRoot);
    }
  }

  /** With what it shows in shadows, its own and those that it is passed into. */
  function* shownIn(element) {
    const { shadowRoot } = plain(element);
    const inside = [
      element,
      ...elementsIn(element),
      ...(shadowRoot instanceof ShadowRoot ? elementsIn(shadowRoot) : []),
    ];
    for (const one of inside) {
      yield one;
      if (!(one instanceof HTMLSlotElement)) continue;
      for (const passed of one.assignedElements({ flatten: true })) yield* [passed, ...elementsIn(passed)];
    }
  }

  function holdsFarFrame(element) {
    const { left, top, right, bottom } = plain(element).getBoundingClientRect();
    if (left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight) return false;
    return [...shownIn(element)].some((one) => Element.prototype.matches.call(one, FRAMES));
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
    if (!('style' in element) || holdsFarFrame(element)) continue;
    window[HIDDEN].push([element, ['opacity', 'transition'].map((name) => kept(plain(element), name))]);
    set(element, [
      ['transition', 'none', 'important'],
      ['opacity', '0', 'important'],
    ]);
  }
}
