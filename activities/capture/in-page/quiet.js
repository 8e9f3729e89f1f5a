/**
 * Runs among the page's own scripts, as plain text, before them: capturing beyond the viewport tells a page of a resize
 * that is none, and a script that answers would lay it out anew. Listeners of a window are called in the order in which
 * they came, so this one has to be the first. It keeps quiet until the page is brought to rest.
 */
function quiet() {
  let rests = false;
  const atRest = (event) => {
    if (rests) event.stopImmediatePropagation();
  };
  window.addEventListener('darkroom:rest', () => (rests = true));
  window.addEventListener('resize', atRest);
  window.visualViewport?.addEventListener('resize', atRest);
}
