import type { CapacitySnapshot, LedgerEntry, Limits, Ticket } from '../../scheduler/index.js';
import type { Decision, Request } from './model/state.js';

/** A reservation as the ledger tells of it. */
interface Held {
  readonly line: LedgerEntry;
  readonly agent: boolean;
}

/** Usage computed from nothing but the ledger's lines, in their order. */
export class LedgerUsage {
  private readonly held = new Map<string, Held>();
  private readonly agents: (job: string) => boolean;

  constructor(agents: (job: string) => boolean = () => false) {
    this.agents = agents;
  }

  get running(): number {
    return this.held.size;
  }

  /** Takes the line in, and names the limits that are exceeded right after it. */
  take(line: LedgerEntry, limits: Limits, nodes: CapacitySnapshot['nodes'] = []): string[] {
    if (line.reservation === null) return [];
    if (line.event === 'released' || line.event === 'freed') {
      return this.held.delete(line.reservation) ? [] : [`${line.reservation} was freed twice`];
    }
    if (line.event !== 'granted') return [];
    this.held.set(line.reservation, { line, agent: this.agents(line.job) });
    const used = (matches: (held: Held) => boolean) => [...this.held.values()].filter(matches).length;
    const most: readonly (readonly [string, number, number])[] = [
      ['running', this.held.size, limits.running],
      ['runningPerUser', used((held) => held.line.user === line.user), limits.runningPerUser],
      ['runningPerWorkspace', used((held) => held.line.workspace === line.workspace), limits.runningPerWorkspace],
      ['runningPerWorker', used((held) => held.line.worker === line.worker), limits.runningPerWorker],
      ['runningAgents', this.agents(line.job) ? used((held) => held.agent) : 0, limits.runningAgents],
      [
        'maxSessions',
        used((held) => held.line.node === line.node),
        nodes.find((node) => node.node === line.node)?.maxSessions ?? Infinity,
      ],
    ];
    return most
      .filter(([, value, limit]) => value > limit)
      .map(([name, value, limit]) => `${name}: ${value} > ${limit}`);
  }
}

/** The rules of fairness, checked on what was eligible and what was chosen. Returns what broke them. */
export function unfairDecisions(decisions: readonly Decision[]): string[] {
  return [...brokenCycles(decisions), ...skippedTurns(decisions), ...overtaken(decisions)];
}

/** While both classes stay eligible, any 4 consecutive grants hold exactly 3 interactive. */
function brokenCycles(decisions: readonly Decision[]): string[] {
  return decisions.flatMap((_, start) => {
    const window = decisions.slice(start, start + 4);
    const both = window.every(({ eligible }) => new Set(eligible.map(({ job }) => job.class)).size === 2);
    if (window.length < 4 || !both) return [];
    const interactive = window.filter(({ chosen }) => chosen.job.class === 'interactive').length;
    return interactive === 3 ? [] : [`${interactive} of 4 interactive from decision ${start}`];
  });
}

/** Between two grants to one workspace, or user of it, every other one that stayed eligible gets one. */
function skippedTurns(decisions: readonly Decision[]): string[] {
  const workspace = ({ job }: Request) => `${job.class} ${job.workspace}`;
  const user = ({ job }: Request) => `${job.class} ${job.workspace} ${job.user}`;
  const bothClasses = ['interactive', 'background'];
  return bothClasses.flatMap((name) => {
    const ofClass = decisions.filter(({ chosen }) => chosen.job.class === name);
    const workspaces = new Set(ofClass.map(({ chosen }) => workspace(chosen)));
    return [
      ...skipped(ofClass, workspace),
      ...[...workspaces].flatMap((one) =>
        skipped(
          ofClass.filter(({ chosen }) => workspace(chosen) === one),
          user,
          (request) => workspace(request) === one,
        ),
      ),
    ];
  });
}

function skipped(
  decisions: readonly Decision[],
  key: (request: Request) => string,
  among: (request: Request) => boolean = () => true,
): string[] {
  return decisions.flatMap((first, start) => {
    const name = key(first.chosen);
    const length = decisions.slice(start + 1).findIndex(({ chosen }) => key(chosen) === name) + 1;
    if (length === 0) return [];
    const between = decisions.slice(start + 1, start + length);
    const throughout = decisions.slice(start, start + length + 1);
    const group = new Set(first.eligible.filter(among).map(key));
    const stayed = [...group].filter((other) =>
      throughout.every(({ eligible }) => eligible.some((request) => key(request) === other)),
    );
    const sameClass = stayed.filter((other) => other.split(' ')[0] === name.split(' ')[0]);
    return sameClass
      .filter((other) => other !== name && !between.some(({ chosen }) => key(chosen) === other))
      .map((other) => `${other} was passed over between two grants to ${name}`);
  });
}

/** First in, first out within user, class and placement. */
function overtaken(decisions: readonly Decision[]): string[] {
  return decisions.flatMap(({ chosen, eligible }) =>
    eligible
      .filter((other) => sameLine(other, chosen) && other.job.seq < chosen.job.seq)
      .map((other) => `${label(chosen.ticket)} overtook ${label(other.ticket)}`),
  );
}

function sameLine(a: Request, b: Request): boolean {
  return a.job.user === b.job.user && a.job.workspace === b.job.workspace && a.job.class === b.job.class;
}

function label({ job, runId, attempt }: Ticket): string {
  return `${job} ${runId} ${attempt}`;
}
