import type { CaptureStep, StepTime } from '../../workflows/contract/index.js';

/** Where the time of a capture goes. A step that is entered again, as for each scenario, adds to what it had. */
export class StepClock {
  readonly #ms = new Map<CaptureStep, number>();
  #step: CaptureStep | undefined;
  #since = 0;

  /** Ends the step before it. */
  enter(step: CaptureStep): void {
    this.#stop();
    this.#step = step;
    // The last one in the list is the one that a failure fell into.
    const before = this.#ms.get(step) ?? 0;
    this.#ms.delete(step);
    this.#ms.set(step, before);
  }

  /** Whole milliseconds so far, the latest step last. */
  times(): StepTime[] {
    this.#stop();
    return [...this.#ms].map(([step, ms]) => ({ step, ms: Math.round(ms) }));
  }

  #stop(): void {
    const now = performance.now();
    if (this.#step !== undefined) this.#ms.set(this.#step, (this.#ms.get(this.#step) ?? 0) + now - this.#since);
    this.#since = now;
  }
}
