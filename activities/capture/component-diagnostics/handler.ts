import type { BrowserContextOptions } from 'playwright-core';
import {
  ERRORS,
  type ComponentDiagnosticsInput,
  type ComponentDiagnosticsResult,
  type Scenario,
  type ScenarioProblem,
  type ScenarioReport,
} from '../../../workflows/contract/index.js';
import { JobFailure } from '../../failure.js';
import { openBlankPage, type BlankPage } from '../blank-page.js';
import { asFailure } from '../classify.js';
import type { CaptureSession, KindHandler } from '../kind.js';
import { contextOptions } from '../page-options.js';
import { plainUrl } from '../page-watch.js';
import { describeScenario, reportText, summaryOf } from './report.js';
import { diagnoseScenario, pageOf } from './scenario.js';

/** A diagnosis of a component: each state of its profile in a page of its own, all in one session. */
export const componentDiagnostics: KindHandler<'component_diagnostics'> = {
  kind: 'component_diagnostics',
  // The schema puts the default scenario first.
  contextOptions: (input) => scenarioOptions(input, input.profile.scenarios[0]),
  capture: diagnose,
};

/** Of closing a page. What does not close in time goes with its session. */
const CLOSE_MS = 5_000;

async function diagnose(
  session: CaptureSession,
  input: ComponentDiagnosticsInput,
): Promise<ComponentDiagnosticsResult> {
  const startedAt = performance.now();
  const scenarios: ScenarioReport[] = [];
  for (const [index, scenario] of input.profile.scenarios.entries()) {
    scenarios.push(await inOwnPage(session, input, scenario, index));
  }
  assertSomething(scenarios);
  const diagnosedAt = performance.now();
  const host = plainUrl(session.url.href);
  const text = reportText({ component: input.component ?? null, host, scenarios });
  const report = await session.store('report.json', Buffer.from(text), 'application/json');
  return {
    ...summaryOf(scenarios),
    report,
    timings: { diagnosedMs: diagnosedAt - startedAt, uploadedMs: performance.now() - diagnosedAt },
    browser: session.browser,
  };
}

/** The first page is there already, and stays for what the session keeps as evidence; every other one is closed at once. */
async function inOwnPage(
  session: CaptureSession,
  input: ComponentDiagnosticsInput,
  scenario: Scenario,
  index: number,
): Promise<ScenarioReport> {
  if (index === 0) return await diagnoseIn(session, input, scenario, index);
  const opened = await freshPage(session, input, scenario);
  try {
    return await diagnoseIn({ ...session, blank: Promise.resolve(opened) }, input, scenario, index);
  } finally {
    await session.deadline.attempt(CLOSE_MS, async () => await opened.context.close());
  }
}

async function freshPage(
  { deadline, blank }: CaptureSession,
  input: ComponentDiagnosticsInput,
  scenario: Scenario,
): Promise<BlankPage> {
  try {
    const browser = (await blank).context.browser();
    if (browser === null) throw new JobFailure('connection_lost', 'The session has no browser.');
    return await deadline.race(openBlankPage(browser, scenarioOptions(input, scenario)));
  } catch (error) {
    throw asFailure(error);
  }
}

async function diagnoseIn(
  session: CaptureSession,
  input: ComponentDiagnosticsInput,
  scenario: Scenario,
  index: number,
): Promise<ScenarioReport> {
  const startedAt = performance.now();
  const { picture, ...diagnosed } = await diagnoseScenario(session, input, scenario);
  if (index === 0) assertHost(diagnosed);
  const name = `${String(index).padStart(2, '0')}-${scenario.id}.jpg`;
  const stored = picture === null ? null : await session.store(name, picture, 'image/jpeg');
  return describeScenario(scenario.id, diagnosed, stored, performance.now() - startedAt);
}

/** A host whose document cannot be had for the default state has none for the others either. */
function assertHost({ problem }: Pick<ScenarioReport, 'problem'>): void {
  if (problem?.code && ERRORS[problem.code].layer === 'target') throw unavailable(problem);
}

/** Where nothing could be looked at, there is no diagnosis. */
function assertSomething(scenarios: readonly ScenarioReport[]): void {
  const [first] = scenarios;
  if (first?.problem && scenarios.every(({ state }) => state === 'unavailable')) throw unavailable(first.problem);
}

function unavailable({ code, message }: ScenarioProblem): JobFailure {
  return new JobFailure(code ?? 'navigation_failed', message);
}

function scenarioOptions(input: ComponentDiagnosticsInput, scenario: Scenario | undefined): BrowserContextOptions {
  return contextOptions(scenario === undefined ? input.page : pageOf(input, scenario));
}
