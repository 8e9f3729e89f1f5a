/**
 * Runs in one frame of the settled page, as plain text, and judges its layout rule by rule. Synchronous, so that it also
 * works where the page's own scripts are off. Each rule prefers silence to a false alarm.
 */
function layout(options) {
  const scene = sceneOf(options);
  const rules = [horizontalOverflow, contentClipped, contentOverlapping, elementOffScreen, zeroSize, images];
  const more = [textInvisible, textTooSmall, tapTargetTooSmall, fixedCoveringContent, duplicateId, emptyPage];
  for (const rule of [...rules, ...more]) rule(scene);
  return { findings: scene.findings, totals: scene.totals };
}
