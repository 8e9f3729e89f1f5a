/** CSS pixels: below this no eye tells a difference, and rounding makes some. */
const SLACK = 2;

/** What the rules look at, and the list that they report to: of each rule the first `perRule` findings, and all counted. */
function sceneOf({ touch, perRule }) {
  const ELEMENTS = 20_000;
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

  return {
    view,
    width,
    height,
    all,
    styleOf,
    boxOf,
    isShown,
    textsOf,
    speaks,
    quote,
    isForReaders,
    isContained,
    report,
    touch,
    findings,
    totals,
  };
}

/** Computed colours are `rgb(r, g, b)` or `rgba(r, g, b, a)`; in other colour spaces nothing is judged. */
function colourOf(text) {
  const match = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(text);
  return match ? { rgb: [match[1], match[2], match[3]].map(Number), alpha: Number(match[4] ?? 1) } : undefined;
}
function alphaOf(text) {
  return colourOf(text)?.alpha ?? 1;
}
