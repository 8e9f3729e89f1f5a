// Rules about the document as a whole.

function duplicateId({ report }) {
  const seen = new Set();
  for (const element of document.querySelectorAll('[id]')) {
    const { id } = plain(element);
    if (id !== '' && seen.has(id)) {
      report('duplicate-id', 'warning', element, `The id ${id.slice(0, 60)} is given twice.`);
    }
    seen.add(id);
  }
}

function emptyPage({ all, isShown, textsOf, speaks, report }) {
  const drawn = (element) =>
    speaks(element) ||
    (/^(img|video|canvas|svg|iframe|object|embed|input|button)$/.test(element.localName) && isShown(element));
  const isFrame = window.parent !== window;
  const own = document.body && textsOf(document.body).length > 0;
  if (document.body && !isFrame && !own && !all.some(drawn)) {
    report('empty-page', 'error', document.body, 'The page shows neither text nor pictures.');
  }
}
