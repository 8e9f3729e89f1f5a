/**
 * Runs among the page's own scripts, as plain text: what a component's host has said by the promise `window.darkroomReady`.
 * Called before the host's own scripts, it hears of the promise in the moment it is given, so that a rejection is never
 * unhandled. A host that has broken what this reads only keeps itself from being heard.
 */
function preview() {
  const KEY = Symbol.for('darkroom.preview');
  const LONGEST = 10_000;
  const text = (value) => (typeof value === 'string' ? value.slice(0, LONGEST) : '');

  function failure(error) {
    if (!(error instanceof Error)) return { state: 'failed', name: '', message: text(String(error)), stack: '' };
    return { state: 'failed', name: text(error.name), message: text(error.message), stack: text(error.stack) };
  }

  function ready(value) {
    const root = value?.root;
    return { state: 'ready', root: root instanceof Element ? selectorOf(root) : null };
  }

  /** What cannot be read is told as what it is: an error of the host's. */
  const attempt = (read, value) => {
    try {
      return read(value);
    } catch (error) {
      return { state: 'failed', name: 'Error', message: `The answer cannot be read: ${error}`, stack: '' };
    }
  };

  function listen() {
    const heard = { answer: { state: 'silent' } };
    let promise;
    Object.defineProperty(window, 'darkroomReady', {
      configurable: true,
      get: () => promise,
      set: (given) => {
        promise = given;
        heard.answer = { state: 'pending' };
        Promise.resolve(given).then(
          (value) => {
            heard.answer = attempt(ready, value);
          },
          (error) => {
            heard.answer = attempt(failure, error);
          },
        );
      },
    });
    return heard;
  }

  try {
    return (window[KEY] ??= listen()).answer;
  } catch {
    return { state: 'silent' };
  }
}
