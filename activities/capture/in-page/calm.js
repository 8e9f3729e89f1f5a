/** Runs in the page, as plain text: comes back when the document has not changed for so long. */
async function calm({ ms }) {
  await new Promise((resolve) => {
    let timer = setTimeout(resolve, ms);
    const observer = new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, ms);
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
}
