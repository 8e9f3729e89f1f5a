import { CancelledFailure } from '@temporalio/common';
import { CancellationScope } from '@temporalio/workflow';

/**
 * What a parent's cancel reaches. Work that runs on the leash is cancelled with the scope that made the leash, until it is
 * let go; whoever waits on it is then told of the cancel at once, and the work goes on.
 */
export class Leash {
  readonly #scope: CancellationScope;
  readonly #left: Promise<never>;
  #held = true;

  constructor() {
    const caller = CancellationScope.current();
    // Shielded, so that the cancel comes through the line below and nowhere else.
    this.#scope = new CancellationScope({
      cancellable: true,
      parent: new CancellationScope({ cancellable: false }),
    });
    this.#left = new Promise((_, reject) => {
      caller.cancelRequested.catch((error: unknown) => {
        if (!caller.consideredCancelled) return;
        if (this.#held) this.#scope.cancel();
        else reject(error instanceof Error ? error : new CancelledFailure('cancelled'));
      });
    });
    this.#left.catch(() => undefined); // Told to those who wait, and nobody need.
  }

  letGo(): void {
    this.#held = false;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    return await this.#scope.run(work);
  }

  async wait<T>(work: Promise<T>): Promise<T> {
    return CancellationScope.current().cancellable ? await Promise.race([work, this.#left]) : await work;
  }
}
