/**
 * Runs among the page's own scripts, as plain text: says whether the page has called itself ready, by the event
 * `darkroom:ready` or the promise `window.darkroomReady`, however it settles. Called before the page's own scripts, it
 * misses no event. A page that has broken what this reads only keeps itself from being heard.
 */
function signal() {
  try {
    const KEY = Symbol.for('darkroom.signal');
    const state = (window[KEY] ??= { ready: false, promise: undefined, Promise, then: Promise.prototype.then });
    const set = () => (state.ready = true);
    if (state.promise === undefined) window.addEventListener('darkroom:ready', set);
    const promise = window.darkroomReady ?? null;
    if (promise !== null && promise !== state.promise) {
      const settled = new state.Promise((resolve) => resolve(promise));
      Reflect.apply(state.then, settled, [set, set]);
    }
    state.promise = promise;
    return state.ready === true;
  } catch {
    return false;
  }
}
