/** What every part of the local stack looks like once it answers. */
export interface Service {
  readonly name: string;
  readonly pid: number;
  /** Settles when the process is gone, however it ended; never rejects. */
  readonly exited: Promise<Exit>;
  /** Ends the process and everything it started. Safe to call twice, and after it died. */
  stop(): Promise<void>;
  /** The last lines that the process wrote, for an error message. */
  logTail(): string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Where a service keeps its data and log, and who ends it when this process is killed. */
export interface ServiceOptions {
  /** An existing folder of the service's own. */
  readonly folder: string;
  /** Without one, a SIGKILL of this process leaves the service running. */
  readonly guardian?: Guardian;
}

/** The part of the guardian that a service needs. */
export interface Guardian {
  /** Put into a service's environment, so that its descendants can be found too. */
  readonly environment: Readonly<Record<string, string>>;
  watch(process: WatchedProcess): void;
  release(pid: number): void;
}

export interface WatchedProcess {
  readonly pid: number;
  /** The signal that lets this program clean up after itself; SIGKILL follows. */
  readonly signal: NodeJS.Signals;
  /** True when the process leads a group of its own: then the group is ended. */
  readonly group: boolean;
}

/** A service that did not start, or ended by itself. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly service: string;
  readonly logTail: string;

  constructor(service: string, what: string, logTail: string, options?: ErrorOptions) {
    super(`${service}: ${what}${logTail === '' ? '' : `\n${indent(logTail)}`}`, options);
    this.service = service;
    this.logTail = logTail;
  }
}

export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `ended with exit code ${String(code)}` : `was ended by ${signal}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  | ');
}
