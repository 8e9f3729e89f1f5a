/** Reads what the browser measured of this page; observers give what was buffered before they were made. */
async function performanceOf() {
  const buffered = (type) =>
    new Promise((resolve) => {
      if (!PerformanceObserver.supportedEntryTypes.includes(type)) return resolve([]);
      const entries = [];
      const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
      observer.observe({ type, buffered: true });
      // Buffered entries come in a task of their own, before this one.
      setTimeout(() => {
        observer.disconnect();
        resolve(entries);
      }, 50);
    });
  const [navigation] = performance.getEntriesByType('navigation');
  const [largest, shifts, tasks] = await Promise.all(
    ['largest-contentful-paint', 'layout-shift', 'longtask'].map(buffered),
  );
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  const last = largest.at(-1);
  const unexpected = shifts.filter((shift) => !shift.hadRecentInput);
  const moved = unexpected
    .flatMap((shift) => shift.sources.map(({ node }) => node))
    .filter((node) => plain(node)?.isConnected);
  const elements = moved.map((node) => (plain(node).nodeType === Node.ELEMENT_NODE ? node : node.parentElement));
  const resources = performance.getEntriesByType('resource');
  return {
    ttfbMs: navigation ? navigation.responseStart : null,
    fcpMs: paint ? paint.startTime : null,
    lcp: last ? { ms: last.startTime, selector: last.element?.isConnected ? selectorOf(last.element) : null } : null,
    cls: {
      score: scoreOf(unexpected),
      sources: [...new Set(elements.filter((element) => element !== null))].slice(0, 10).map(selectorOf),
    },
    longTasks: {
      count: tasks.length,
      totalMs: tasks.reduce((total, task) => total + task.duration, 0),
      longestMs: Math.max(0, ...tasks.map((task) => task.duration)),
    },
    transferBytes: [navigation, ...resources].reduce((total, entry) => total + (entry?.transferSize ?? 0), 0),
    domNodes: document.querySelectorAll('*').length,
  };

  /** As web vitals define it: the worst burst of shifts, each at most 1 s after the one before, 5 s in all. */
  function scoreOf(list) {
    let worst = 0;
    let burst = { score: 0, startedAt: 0, lastAt: -Infinity };
    for (const { startTime, value } of list) {
      const goesOn = startTime - burst.lastAt < 1_000 && startTime - burst.startedAt < 5_000;
      burst = goesOn
        ? { ...burst, score: burst.score + value, lastAt: startTime }
        : { score: value, startedAt: startTime, lastAt: startTime };
      worst = Math.max(worst, burst.score);
    }
    return worst;
  }
}
