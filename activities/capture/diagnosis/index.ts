export { checkAccessibility, type Accessibility } from './accessibility.js';
export { lookAtFonts, type Fonts } from './fonts.js';
export { findingsOf } from './from-observed.js';
export { judgeLayout, type Judged } from './layout.js';
export { Observer, type Observed } from './observer.js';
export { measurePerformance } from './performance.js';
export { countsOf, fitting, ranked } from './ranking.js';
