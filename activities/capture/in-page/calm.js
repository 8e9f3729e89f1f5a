/** Runs in the page, as plain text: comes back when the document has not changed for so long. */
async function calm({ ms }) {
  await new Promise((resolve) => {
    let timer;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(calmed, ms);
    };
    const observer = new MutationObserver(wait);
    const calmed = () => {
      observer.disconnect();
      resolve();
    };
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    wait();
  });
}
