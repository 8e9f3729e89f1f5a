/** A selector that matches the element alone in its document: by id, by test id, else by its place below such an ancestor. */
function selectorOf(element) {
  const unique = (selector) => document.querySelectorAll(selector).length === 1;
  const steps = [];
  for (let at = element; at !== null; at = plain(at).parentElement) {
    const { localName: name, id, parentElement: parent } = plain(at);
    const testId = plain(at).getAttribute('data-testid');
    const short = [id === '' ? null : `#${CSS.escape(id)}`, testId ? `[data-testid="${CSS.escape(testId)}"]` : null];
    const own = short.find((selector) => selector !== null && unique(selector));
    if (own !== undefined) return [own, ...steps].join(' > ');
    if (at === document.body || at === document.documentElement) return [name, ...steps].join(' > ');
    const siblings = [...(plain(parent)?.children ?? [])].filter((sibling) => plain(sibling).localName === name);
    steps.unshift(
      siblings.length > 1 ? `${CSS.escape(name)}:nth-of-type(${siblings.indexOf(at) + 1})` : CSS.escape(name),
    );
  }
  return steps.join(' > ');
}
