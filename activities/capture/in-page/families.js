/** The different font stacks that text is set in, each with one element that uses it. */
function families({ most }) {
  const stacks = new Map();
  for (const element of document.body?.querySelectorAll('*') ?? []) {
    const hasText = [...plain(element).childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '',
    );
    if (!hasText || /^(script|style|noscript|template)$/.test(element.localName) || !plain(element).checkVisibility())
      continue;
    const stack = getComputedStyle(element).fontFamily;
    if (!stacks.has(stack)) stacks.set(stack, selectorOf(element));
    if (stacks.size === most) break;
  }
  return [...stacks].map(([stack, selector]) => ({ stack, selector }));
}
