import type { Exit, Service } from './services/service.js';
import { describeExit, ServiceError } from './services/service.js';

/** The order of the stop: workers give back their sessions before the node goes, and the data go last. */
const STAGES = ['data', 'pages and browsers', 'workers'] as const;

export type Stage = (typeof STAGES)[number];

/** The services that were started, and the first of them that ended by itself. */
export class RunningServices {
  /** Resolves when a service ends without having been asked to. */
  readonly failure: Promise<ServiceError>;
  readonly #report: (line: string) => void;
  readonly #services: { readonly stage: Stage; readonly service: Service }[] = [];
  #fail: (error: ServiceError) => void = () => undefined;
  #stopping = false;

  constructor(report: (line: string) => void) {
    this.#report = report;
    this.failure = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  /** Takes a service in once it has started, and says how long that took. */
  async add<S extends Service>(stage: Stage, starting: Promise<S>): Promise<S> {
    const began = performance.now();
    const service = await starting;
    this.#report(`${service.name} ready after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    this.#services.push({ stage, service });
    this.watch(service);
    return service;
  }

  watch(process: Pick<Service, 'name' | 'exited' | 'logTail'>): void {
    void process.exited.then((exit: Exit) => {
      if (!this.#stopping) this.#fail(new ServiceError(process.name, describeExit(exit), process.logTail()));
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const stage of STAGES.toReversed()) {
      const services = this.#services.filter((started) => started.stage === stage);
      await Promise.all(services.map(({ service }) => service.stop()));
    }
  }
}
