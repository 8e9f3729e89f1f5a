import type {
  ComponentDiagnosticsInput,
  Finding,
  PageReport,
  Scenario,
  ScenarioProblem,
  ScenarioState,
} from '../../../workflows/contract/index.js';
import { JobFailure, messageOf } from '../../failure.js';
import {
  checkAccessibility,
  findingsOf,
  fitting,
  judgeLayout,
  Observer,
  outlinedPicture,
  ranked,
  type Observed,
} from '../diagnosis/index.js';
import type { CaptureSession } from '../kind.js';
import type { PageOptions } from '../page-options.js';
import { visitPage, type Visit, type Visited, type VisitPlan } from '../visit.js';
import { interact } from './interaction.js';
import { awaitCalm, awaitPreview, previewScript, previewUrl, type PreviewAnswer } from './preview.js';
import { explainFailure, explainHost } from './problem.js';

/** What one scenario came to. Its picture is not stored yet. */
export interface Diagnosed extends Looked {
  readonly observed: Observed;
  readonly settle: Visited<unknown>['settle'];
}

interface Looked {
  readonly state: ScenarioState;
  readonly problem: ScenarioProblem | null;
  readonly findings: readonly Finding[];
  /** True counts by rule, where they are more than the findings. */
  readonly totals: Readonly<Record<string, number>>;
  readonly accessibility: PageReport['accessibility'] | null;
  readonly picture: Buffer | null;
}

/** Loading, mounting, settling and judging, each of which has its own bounds, should never take so long together. */
const SCENARIO_MS = 90_000;
const NOTHING_OBSERVED: Observed = {
  console: { total: 0, items: [] },
  errors: { total: 0, items: [] },
  requests: { remarkable: { total: 0, items: [] }, byType: {}, pending: 0 },
};
/** A component is judged, not the document that its host puts around it. */
const RULES_OF_DOCUMENTS = [
  'bypass',
  'document-title',
  'html-has-lang',
  'html-lang-valid',
  'landmark-one-main',
  'meta-viewport',
  'page-has-heading-one',
  'region',
];
/** A page that shows nothing is broken; a component may have a state in which it shows nothing: a closed dialog. */
const RULE_OF_PAGES = 'empty-page';
/** More outlines hide what they point at. */
const OUTLINED = 20;
const OUTLINED_BYTES = 64 * 1024;

/** The page options of one scenario: the job's, with its own window and colours. */
export function pageOf({ page }: ComponentDiagnosticsInput, { viewport, colorScheme }: Scenario): PageOptions {
  return { ...page, viewport: { ...page.viewport, ...viewport }, colorScheme: colorScheme ?? page.colorScheme };
}

/**
 * Diagnoses one scenario in the session's page. What is wrong with the component or its host is the outcome; fails with
 * what is wrong with the job, the session or the attempt.
 */
export async function diagnoseScenario(
  session: CaptureSession,
  input: ComponentDiagnosticsInput,
  scenario: Scenario,
): Promise<Diagnosed> {
  const deadline = session.deadline.within(SCENARIO_MS, 'attempt_timeout');
  const url = previewUrl(session.url, input.component, scenario);
  const work = new ScenarioWork({ ...input, page: pageOf(input, scenario) }, scenario);
  try {
    const { outcome, settle } = await visitPage({ ...session, deadline, url }, work.input.page, work.plan);
    return { ...outcome, observed: work.observed, settle };
  } catch (error) {
    if (session.deadline.signal.aborted) throw error;
    const explained = explainFailure(error);
    if (explained.problem.code === 'connection_lost') await assertBrowser(session);
    const { observed } = work;
    const findings = ranked(findingsOf(observed));
    return { ...explained, findings, totals: {}, accessibility: null, picture: null, observed, settle: [] };
  } finally {
    deadline.stop();
  }
}

/** A page may close itself. When its browser has gone, that is not the scenario's. Fails with `connection_lost`. */
async function assertBrowser({ deadline, blank }: CaptureSession): Promise<void> {
  const { context } = await blank;
  try {
    const asked = await deadline.race(context.browser()?.newBrowserCDPSession() ?? Promise.reject(new Error('closed')));
    await deadline.race(asked.detach());
  } catch (error) {
    if (deadline.signal.aborted) throw error;
    throw new JobFailure('connection_lost', messageOf(error), { cause: error });
  }
}

/** One visit to the host: it listens, waits for the component, and looks at what there is. */
class ScenarioWork {
  /** With the scenario's own page options. */
  readonly input: ComponentDiagnosticsInput;
  readonly #scenario: Scenario;
  #observer: Observer | undefined;
  #answer: PreviewAnswer = { state: 'silent' };

  constructor(input: ComponentDiagnosticsInput, scenario: Scenario) {
    this.input = input;
    this.#scenario = scenario;
  }

  get observed(): Observed {
    return this.#observer?.observed ?? NOTHING_OBSERVED;
  }

  get plan(): VisitPlan<Looked> {
    return {
      beyondViewport: true,
      initScript: previewScript(),
      begun: ({ context }) => {
        this.#observer = new Observer(context, this.input);
      },
      lazyUntil: async (visit) => {
        this.#answer = await this.#mounted(visit);
        return this.#answer.state === 'ready' ? this.input.maxHeight : null;
      },
      work: async (visit) => await this.#look(visit),
    };
  }

  /** Waits until the component has mounted, brings it into its state, and waits until nothing more comes of that. */
  async #mounted(visit: Visit): Promise<PreviewAnswer> {
    const { readyMs, quietMs } = this.input;
    const { interaction } = this.#scenario;
    const answer = await awaitPreview(visit, readyMs);
    if (answer.state !== 'ready') return answer;
    await awaitCalm(visit, quietMs);
    if (interaction !== undefined) {
      await interact(visit, interaction, answer.root, readyMs);
      await awaitCalm(visit, quietMs);
    }
    return answer;
  }

  async #look(visit: Visit): Promise<Looked> {
    const observer = this.#observer;
    if (observer === undefined) throw new Error('The page was visited without being observed.');
    const { observed } = observer;
    if (this.#answer.state === 'ready') return await this.#judge(visit, observed);
    // A component that did not mount is shown and not judged: what its host shows instead is not its own.
    return {
      ...(await explainHost(visit, this.#answer, observer)),
      findings: ranked(findingsOf(observed)),
      totals: {},
      accessibility: null,
      picture: await this.#draw(visit, []),
    };
  }

  async #judge(visit: Visit, observed: Observed): Promise<Looked> {
    const { touch, mobile } = this.input.page.viewport;
    const layout = await judgeLayout(visit, { touch: touch || mobile });
    const accessibility = await checkAccessibility(visit, RULES_OF_DOCUMENTS);
    const found = [...findingsOf(observed), ...layout.findings, ...accessibility.findings];
    const findings = ranked(found.filter(({ rule }) => rule !== RULE_OF_PAGES));
    const { [RULE_OF_PAGES]: _, ...totals } = { ...layout.totals, ...accessibility.totals };
    return {
      state: 'ok',
      problem: null,
      findings,
      totals,
      accessibility: accessibility.summary,
      picture: await this.#draw(visit, findings),
    };
  }

  async #draw(visit: Visit, findings: readonly Finding[]): Promise<Buffer | null> {
    if (this.input.picture === 'none') return null;
    return await outlinedPicture(visit, this.input, fitting(findings, OUTLINED, OUTLINED_BYTES));
  }
}
