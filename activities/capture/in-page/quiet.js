/**
 * Runs in the page, as plain text, before its own scripts: capturing beyond the viewport tells a page of a resize that
 * is none, and a script that answers would lay it out anew. Listeners of a window are called in the order in which they
 * came, so this one has to be the first. It keeps quiet until the page is brought to rest.
 */
function quiet() {
  const atRest = (event) => {
    if (document[Symbol.for('darkroom.rest')]) event.stopImmediatePropagation();
  };
  window.addEventListener('resize', atRest);
  window.visualViewport?.addEventListener('resize', atRest);
}
