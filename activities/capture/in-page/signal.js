/**
 * Runs in the page, as plain text: says whether the page has called itself ready, by the event `darkroom:ready` or the
 * promise `window.darkroomReady`, however it settles. Called before the page's own scripts, it misses no event.
 */
function signal() {
  const KEY = Symbol.for('darkroom.signal');
  const state = (window[KEY] ??= { ready: false, promise: undefined });
  const set = () => (state.ready = true);
  if (state.promise === undefined) window.addEventListener('darkroom:ready', set);
  const promise = window.darkroomReady ?? null;
  if (promise !== null && promise !== state.promise) Promise.resolve(promise).then(set, set);
  state.promise = promise;
  return state.ready;
}
