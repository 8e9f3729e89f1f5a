/**
 * Runs in a world of its own in the page, as plain text, at every look at it: brings it to rest and says what it still waits for. It is one
 * synchronous function without timers or promises, so that it also works where the page's own scripts are off.
 */
function survey({ styles, selectors, eager }) {
  const LISTED = 10;
  const AT_REST = Symbol.for('darkroom.rest');
  const LAID_OUT = Symbol.for('darkroom.laid-out');

  function dress() {
    if (document[AT_REST]) return;
    document[AT_REST] = true;
    window.dispatchEvent(new Event('darkroom:rest')); // For `quiet`, which lives among the page's own scripts.
    for (const selector of selectors) document.querySelector(selector); // Throws when it is no selector.
    // Constructed sheets come last in the cascade, ask no content security policy and leave the DOM as it is.
    const sheets = styles.map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...sheets];
  }

  /** Finite animations jump to their end, infinite ones to the style without them; scroll timelines stay. */
  function rest() {
    let restless = 0; // How many refused: the caller looks again.
    for (const animation of document.getAnimations()) {
      if (animation.timeline !== document.timeline) continue;
      const { endTime = Infinity } = animation.effect?.getComputedTiming() ?? {};
      try {
        if (endTime === Infinity || animation.playbackRate === 0) animation.cancel();
        else animation.finish();
      } catch {
        restless += 1;
      }
    }
    for (const video of document.querySelectorAll('video')) video.pause();
    return restless;
  }

  /** What a page leaves out while it is out of sight (`content-visibility: auto`) would be missing in a picture. */
  function layOut() {
    const elements = document.querySelectorAll('*');
    if (document[LAID_OUT] === elements.length) return;
    document[LAID_OUT] = elements.length;
    for (const { style } of [...elements].filter((one) => getComputedStyle(one).contentVisibility === 'auto')) {
      if (style instanceof CSSStyleDeclaration) style.setProperty('content-visibility', 'visible', 'important');
    }
  }

  function refreshInMs() {
    const meta = document.querySelector('meta[http-equiv="refresh" i]');
    const match = /^\s*(\d+(?:\.\d*)?)\s*(?:[;,]|$)/.exec(meta?.content ?? '');
    return match ? Number(match[1]) * 1000 : null;
  }

  dress();
  const restless = rest();
  const root = document.documentElement;
  const height = root?.offsetHeight ?? 0; // Makes the layout current, which starts the fonts that it needs.
  const waiting = [...document.images].filter((image) => {
    if (image.loading === 'lazy') {
      if (!eager) return false;
      image.loading = 'eager';
    }
    image.decoding = 'sync'; // Otherwise a frame may be drawn before the image is decoded.
    return !image.complete;
  });
  if (eager) {
    for (const frame of document.querySelectorAll('iframe[loading="lazy"]')) frame.loading = 'eager';
    layOut();
  }

  return {
    title: document.title.slice(0, 500),
    isEmptyText: document.contentType === 'text/plain' && document.documentElement?.textContent === '',
    fontsLoading: document.fonts.status === 'loading',
    images: waiting.slice(0, LISTED).map((image) => image.currentSrc || image.src),
    restless,
    refreshInMs: refreshInMs(),
    scrollX: window.scrollX,
    scrollY: window.scrollY,
    /** Two looks that differ here saw two states of the page. */
    signature: [
      height,
      root?.scrollWidth,
      root?.scrollHeight,
      document.querySelectorAll('*').length,
      document.fonts.size,
      window.scrollX,
      window.scrollY,
    ].join(' '),
  };
}
