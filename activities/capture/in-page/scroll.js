/** Runs in the page, as plain text: shows what lies one viewport below `from`, down to `bottom`. Tells where it is now. */
function scroll({ from, bottom }) {
  const end = Math.min(bottom, document.documentElement.scrollHeight) - window.innerHeight;
  const top = Math.max(from, Math.min(from + window.innerHeight, end));
  if (top > from) window.scrollTo({ top, left: 0, behavior: 'instant' });
  return top;
}
