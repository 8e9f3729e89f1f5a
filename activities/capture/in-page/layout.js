/**
 * Runs in one frame of the settled page, as plain text, and judges its layout rule by rule. Synchronous, so that it also
 * works where the page's own scripts are off. Each rule prefers silence to a false alarm.
 */
function layout({ touch, perRule }) {
  const ELEMENTS = 20_000;
  /** CSS pixels: below this no eye tells a difference, and rounding makes some. */
  const SLACK = 2;
  const view = document.documentElement;
  const width = view.clientWidth;
  const height = view.clientHeight;
  const findings = [];
  const totals = {};

  const all = [...(document.body?.querySelectorAll('*') ?? [])].slice(0, ELEMENTS);
  const styles = new Map();
  const styleOf = (element) => {
    let style = styles.get(element);
    if (style === undefined) styles.set(element, (style = getComputedStyle(element)));
    return style;
  };
  const boxOf = (element) => plain(element).getBoundingClientRect();
  const isShown = (element) =>
    plain(element).checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    styleOf(element).display !== 'none';
  const textsOf = (element) =>
    [...plain(element).childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
  const SILENT = new Set(['script', 'style', 'noscript', 'template', 'title', 'option', 'textarea', 'svg', 'math']);
  const speaks = (element) => !SILENT.has(plain(element).localName) && textsOf(element).length > 0 && isShown(element);
  const quote = (element) => {
    const text = (plain(element).innerText ?? '').trim().replace(/\s+/g, ' ');
    return text.length > 60 ? `${text.slice(0, 59)}…` : text;
  };
  /** The usual ways to keep text for screen readers only. */
  const isForReaders = (element) => {
    for (let at = element; at !== null && at !== document.body; at = plain(at).parentElement) {
      const style = styleOf(at);
      const { width: w, height: h } = boxOf(at);
      if (style.clip !== 'auto' && style.clip !== '' && style.position === 'absolute') return true;
      if (/inset\((50|100)%/.test(style.clipPath)) return true;
      if (w <= 1 && h <= 1 && style.overflow !== 'visible') return true;
    }
    return false;
  };

  function report(rule, severity, element, message, box = boxOf(element)) {
    totals[rule] = (totals[rule] ?? 0) + 1;
    if (totals[rule] > perRule) return;
    const at = { x: box.left + scrollX, y: box.top + scrollY, width: box.width, height: box.height };
    findings.push({ rule, severity, message, selector: selectorOf(element), box: at });
  }

  /** Whether an ancestor cuts off or scrolls what sticks out of it sideways. */
  function isContained(element) {
    for (
      let at = plain(element).parentElement;
      at !== null && at !== document.body && at !== view;
      at = plain(at).parentElement
    ) {
      if (styleOf(at).overflowX !== 'visible') return true;
    }
    return false;
  }

  function horizontalOverflow() {
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

  function contentClipped() {
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

  /** Text under other text: both of normal flow or absolute, on no background of its own, so that both are seen. */
  function contentOverlapping() {
    const texts = [];
    for (const element of all.filter((one) => speaks(one) && !isForReaders(one)).slice(0, 2_000)) {
      if (isLayered(element)) continue;
      for (const node of textsOf(element)) {
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const rect of [...range.getClientRects()].slice(0, 20)) {
          if (rect.width > SLACK && rect.height > SLACK) texts.push({ element, rect });
        }
      }
    }
    texts.sort((a, b) => a.rect.top - b.rect.top);
    const told = new Set();
    texts.forEach(({ element, rect }, index) => {
      for (let next = index + 1; next < texts.length && texts[next].rect.top < rect.bottom; next += 1) {
        const other = texts[next];
        if (other.element === element || told.has(other.element)) continue;
        const across = Math.min(rect.right, other.rect.right) - Math.max(rect.left, other.rect.left);
        const down = Math.min(rect.bottom, other.rect.bottom) - Math.max(rect.top, other.rect.top);
        const smaller = Math.min(rect.width * rect.height, other.rect.width * other.rect.height);
        if (across <= 0 || down <= 0 || (across * down) / smaller < 0.4) continue;
        told.add(other.element);
        report('content-overlapping', 'warning', other.element, `Lies over other text: “${quote(other.element)}”`);
      }
    });
  }

  /** On a layer of its own, as menus, dialogs and captions over pictures are. */
  function isLayered(element) {
    for (let at = element; at !== null && at !== document.body; at = plain(at).parentElement) {
      const style = styleOf(at);
      if (/fixed|sticky/.test(style.position) || style.transform !== 'none') return true;
      if (style.position === 'absolute' && (style.backgroundImage !== 'none' || alphaOf(style.backgroundColor) > 0))
        return true;
    }
    return false;
  }

  function elementOffScreen() {
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
      if (left || above)
        report('element-off-screen', 'warning', element, `Lies ${left ? 'left of' : 'above'} the page.`);
    }
  }

  function zeroSize() {
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

  function images() {
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

  /** Computed colours are `rgb(r, g, b)` or `rgba(r, g, b, a)`; in other colour spaces nothing is judged. */
  function colourOf(text) {
    const match = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
    return match ? { rgb: [match[1], match[2], match[3]].map(Number), alpha: Number(match[4] ?? 1) } : undefined;
  }
  function alphaOf(text) {
    return colourOf(text)?.alpha ?? 1;
  }

  function textInvisible() {
    for (const element of all) {
      if (!speaks(element) || isForReaders(element)) continue;
      const style = styleOf(element);
      if (
        style.textShadow !== 'none' ||
        style.webkitTextStrokeWidth !== '0px' ||
        /text/.test(style.webkitBackgroundClip)
      )
        continue;
      const ink = colourOf(style.webkitTextFillColor);
      if (ink === undefined) continue;
      const ground = groundUnder(element);
      const same = ground !== undefined && ink.rgb.every((value, index) => Math.abs(value - ground[index]) <= 2);
      if (ink.alpha === 0 || same) {
        report('text-invisible', 'error', element, `Text has the colour of what is behind it: “${quote(element)}”`);
      }
    }
  }

  /** The opaque colour behind an element; undefined where a picture, a layer or half-transparency makes it uncertain. */
  function groundUnder(element) {
    for (let at = element; at !== null; at = plain(at).parentElement) {
      const style = styleOf(at);
      if (style.backgroundImage !== 'none' || style.position === 'absolute' || style.position === 'fixed')
        return undefined;
      const colour = colourOf(style.backgroundColor);
      if (colour === undefined || (colour.alpha > 0 && colour.alpha < 1)) return undefined;
      if (colour.alpha === 1) return colour.rgb;
      for (const pseudo of ['::before', '::after']) {
        if (getComputedStyle(at, pseudo).content !== 'none') return undefined;
      }
    }
    return [255, 255, 255];
  }

  function textTooSmall() {
    for (const element of all) {
      const size = parseFloat(styleOf(element).fontSize);
      if (size >= 9 || size === 0 || !speaks(element) || isForReaders(element)) continue;
      report('text-too-small', 'warning', element, `Text of ${size} px: “${quote(element)}”`);
    }
  }

  /** WCAG 2.2, 2.5.8: 24 CSS pixels, but not for links in running text. */
  function tapTargetTooSmall() {
    const TARGET = 24;
    for (const element of all) {
      if (!/^(a|button|input|select)$/.test(element.localName) || element.type === 'hidden' || element.disabled)
        continue;
      if (!isShown(element) || isForReaders(element) || element.closest('label') !== null) continue;
      if (styleOf(element).display === 'inline' || (element.localName === 'a' && !element.hasAttribute('href')))
        continue;
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

  function fixedCoveringContent() {
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

  function duplicateId() {
    const seen = new Set();
    for (const element of document.querySelectorAll('[id]')) {
      const { id } = plain(element);
      if (id !== '' && seen.has(id)) {
        report('duplicate-id', 'warning', element, `The id ${id.slice(0, 60)} is given twice.`);
      }
      seen.add(id);
    }
  }

  function emptyPage() {
    const drawn = (element) =>
      speaks(element) ||
      (/^(img|video|canvas|svg|iframe|object|embed|input|button)$/.test(element.localName) && isShown(element));
    const isFrame = window.parent !== window;
    const own = document.body && textsOf(document.body).length > 0;
    if (document.body && !isFrame && !own && !all.some(drawn)) {
      report('empty-page', 'error', document.body, 'The page shows neither text nor pictures.');
    }
  }

  const rules = [horizontalOverflow, contentClipped, contentOverlapping, elementOffScreen, zeroSize, images];
  const more = [textInvisible, textTooSmall, tapTargetTooSmall, fixedCoveringContent, duplicateId, emptyPage];
  for (const rule of [...rules, ...more]) rule();
  return { findings, totals };
}
