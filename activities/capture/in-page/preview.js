/**
 * Runs in the page, as plain text: what a component's host has said by the promise `window.darkroomReady`. Called before
 * the host's own scripts, it hears of the promise in the moment it is given, so that a rejection is never unhandled.
 */
function preview() {
  const KEY = Symbol.for('darkroom.preview');
  const text = (value) => (typeof value === 'string' ? value.slice(0, 10_000) : '');

  function failure(error) {
    if (!(error instanceof Error)) return { state: 'failed', name: '', message: text(String(error)), stack: '' };
    return { state: 'failed', name: text(error.name), message: text(error.message), stack: text(error.stack) };
  }

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
            const root = value?.root instanceof Element ? value.root : null;
            heard.answer = { state: 'ready', root: root && selectorOf(root) };
          },
          (error) => {
            heard.answer = failure(error);
          },
        );
      },
    });
    return heard;
  }

  return (window[KEY] ??= listen()).answer;
}
