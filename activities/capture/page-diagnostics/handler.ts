import {
  RULES_VERSION,
  type Finding,
  type PageDiagnosticsInput,
  type PageDiagnosticsResult,
  type PageReport,
} from '../../../workflows/contract/index.js';
import {
  checkAccessibility,
  countsOf,
  findingsOf,
  fitting,
  judgeLayout,
  lookAtFonts,
  measurePerformance,
  Observer,
  outlinedPicture,
  ranked,
  totalOf,
  type Accessibility,
} from '../diagnosis/index.js';
import type { CaptureSession, KindHandler } from '../kind.js';
import { contextOptions } from '../page-options.js';
import { plainUrl } from '../page-watch.js';
import { describeVisit, visitPage, type Visit } from '../visit.js';
import { reportText } from './report.js';

/** A diagnosis of a page: what it said and failed at, its layout, accessibility, fonts and speed. */
export const pageDiagnostics: KindHandler<'page_diagnostics'> = {
  kind: 'page_diagnostics',
  contextOptions: (input) => contextOptions(input.page),
  capture: diagnose,
};

const MOST_WORST = 20;
/** The whole result has at most 16 KiB; what settling was waiting for may take more than half of that. */
const WORST_BYTES = 5_000;

interface Inspected {
  readonly counted: ReturnType<typeof countsOf>;
  readonly worst: readonly Finding[];
  readonly parts: Omit<PageReport, 'v' | 'rulesVersion' | 'navigation' | 'settle'>;
  readonly picture: Buffer | null;
}

async function diagnose(session: CaptureSession, input: PageDiagnosticsInput): Promise<PageDiagnosticsResult> {
  let observer: Observer | undefined;
  const redirects: string[] = [];
  const visited = await visitPage(session, input.page, {
    beyondViewport: true,
    lazyUntil: async () => await Promise.resolve(input.maxHeight),
    begun: ({ context, page }) => {
      observer = new Observer(context, input);
      page.on('request', (request) => {
        const from = request.redirectedFrom();
        if (from !== null && request.isNavigationRequest() && request.frame() === page.mainFrame()) {
          redirects.push(plainUrl(from.url()));
        }
      });
    },
    work: async (visit) => await inspect(visit, input, observer),
  });
  const { counted, worst, parts, picture } = visited.outcome;
  const { finalUrl, status, settle } = visited;
  const report: PageReport = {
    v: 1,
    rulesVersion: RULES_VERSION,
    navigation: { url: plainUrl(session.url.href), finalUrl, status, redirects: redirects.slice(0, 20) },
    ...parts,
    settle,
  };
  const inspectedAt = performance.now();
  const [stored, drawn] = await Promise.all([
    session.store('report.json', Buffer.from(reportText(report)), 'application/json'),
    picture === null ? null : session.store('picture.jpg', picture, 'image/jpeg'),
  ]);
  return {
    v: 1,
    rulesVersion: RULES_VERSION,
    report: stored,
    picture: drawn,
    ...counted,
    worst,
    ...describeVisit(visited, inspectedAt, session),
  };
}

/** The picture comes last: what it draws over the page is not to be judged. */
async function inspect(visit: Visit, input: PageDiagnosticsInput, observer: Observer | undefined): Promise<Inspected> {
  if (observer === undefined) throw new Error('The page was visited without being observed.');
  const { touch, mobile } = input.page.viewport;
  const layout = await judgeLayout(visit, { touch: touch || mobile });
  const accessibility = await accessibilityOf(visit, input);
  const fonts = await lookAtFonts(visit);
  const performance = input.page.javaScript ? await measurePerformance(visit) : null;
  const observed = observer.observed;
  const findings = ranked([...findingsOf(observed), ...layout.findings, ...accessibility.findings, ...fonts.findings]);
  const counted = countsOf(findings, { ...layout.totals, ...accessibility.totals });
  const worst = fitting(findings, MOST_WORST, WORST_BYTES);
  return {
    counted,
    worst,
    parts: {
      findings: { total: totalOf(counted.counts), items: findings },
      console: observed.console,
      errors: observed.errors,
      requests: observed.requests,
      accessibility: accessibility.summary,
      fonts: fonts.summary,
      performance,
    },
    picture: input.picture === 'none' ? null : await outlinedPicture(visit, input, worst),
  };
}

/** axe-core works with promises, which a page whose scripts are off does not run. */
async function accessibilityOf(visit: Visit, input: PageDiagnosticsInput): Promise<Accessibility> {
  if (input.page.javaScript) return await checkAccessibility(visit);
  const unchecked = visit.page.frames().map((frame) => plainUrl(frame.url()));
  return { findings: [], totals: {}, summary: { engine: 'axe-core', byImpact: {}, unchecked } };
}
