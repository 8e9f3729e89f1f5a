// Rules about text that cannot be read.

/** Text under other text: both of normal flow or absolute, on no background of its own, so that both are seen. */
function contentOverlapping(scene) {
  const { all, textsOf, speaks, quote, isForReaders, report } = scene;
  const texts = [];
  for (const element of all.filter((one) => speaks(one) && !isForReaders(one)).slice(0, 2_000)) {
    if (isLayered(scene, element)) continue;
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

function textInvisible(scene) {
  const { all, styleOf, speaks, quote, isForReaders, report } = scene;
  for (const element of all) {
    if (!speaks(element) || isForReaders(element)) continue;
    const style = styleOf(element);
    if (style.textShadow !== 'none' || style.webkitTextStrokeWidth !== '0px' || /text/.test(style.webkitBackgroundClip))
      continue;
    const ink = colourOf(style.webkitTextFillColor);
    if (ink === undefined) continue;
    const ground = groundUnder(scene, element);
    const same = ground !== undefined && ink.rgb.every((value, index) => Math.abs(value - ground[index]) <= 2);
    if (ink.alpha === 0 || same) {
      report('text-invisible', 'error', element, `Text has the colour of what is behind it: “${quote(element)}”`);
    }
  }
}

function textTooSmall({ all, styleOf, speaks, quote, isForReaders, report }) {
  for (const element of all) {
    const size = parseFloat(styleOf(element).fontSize);
    if (size >= 9 || size === 0 || !speaks(element) || isForReaders(element)) continue;
    report('text-too-small', 'warning', element, `Text of ${size} px: “${quote(element)}”`);
  }
}

/** On a layer of its own, as menus, dialogs and captions over pictures are. */
function isLayered({ styleOf }, element) {
  for (let at = element; at !== null && at !== document.body; at = plain(at).parentElement) {
    const style = styleOf(at);
    if (/fixed|sticky/.test(style.position) || style.transform !== 'none') return true;
    if (style.position === 'absolute' && (style.backgroundImage !== 'none' || alphaOf(style.backgroundColor) > 0))
      return true;
  }
  return false;
}

/** The opaque colour behind an element; undefined where a picture, a layer or half-transparency makes it uncertain. */
function groundUnder({ styleOf }, element) {
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
