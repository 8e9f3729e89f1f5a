/**
 * Runs in the page, as plain text: shows every part of it down to `bottom` once, one viewport at a time, so that content
 * made on sight is made, and returns to the top. A page that grows meanwhile is followed, `steps` viewports at most.
 */
async function scroll({ bottom, steps }) {
  const jump = (top) => window.scrollTo({ top, left: 0, behavior: 'instant' });
  // A page that gets no frames is not waited for: observers have none either.
  const frame = () =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, 100);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        // Observers are told after the frame's callbacks.
        setTimeout(resolve);
      });
    });

  const end = () => Math.min(bottom ?? Infinity, document.documentElement.scrollHeight) - window.innerHeight;
  let top = 0;
  for (let step = 0; step < steps && top < end(); step += 1) {
    top = Math.min(top + window.innerHeight, end());
    jump(top);
    await frame();
  }
  if (top === 0) return true;
  const complete = top >= end();
  jump(0);
  await frame();
  return complete;
}
