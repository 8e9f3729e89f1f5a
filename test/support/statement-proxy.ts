import { startProxy, type Proxy } from './proxy.js';

/** `before`: Postgres never hears of the statement. `after`: it has committed, and nobody hears of that. */
export type Boundary = 'before' | 'after';

/** Stands between a worker and Postgres, and can keep the worker at the boundary of one of its statements. */
export interface StatementProxy extends Proxy {
  /** Keeps the connection that next calls this function of the schema `darkroom`. Settles when it is there. */
  stopAt(boundary: Boundary, name: string): Promise<void>;
}

interface Stop {
  readonly boundary: Boundary;
  readonly name: string;
  readonly reached: () => void;
}

export async function startStatementProxy(database: string): Promise<StatementProxy> {
  const stops: Stop[] = [];
  const proxy = await startProxy(database, (client, upstream) => {
    let held: Stop | undefined;
    const asked = messages(true);
    client.on('data', (chunk: Buffer) => {
      for (const message of asked(chunk)) {
        if (held === undefined) {
          const index = stops.findIndex(({ name }) => parses(message, name));
          held = index < 0 ? undefined : stops.splice(index, 1)[0];
          if (held?.boundary === 'before') held.reached();
        }
        if (held?.boundary !== 'before') upstream.write(message);
      }
    });
    const answered = messages(false);
    upstream.on('data', (chunk: Buffer) => {
      for (const message of answered(chunk)) {
        if (held === undefined) client.write(message);
        else if (message[0] === READY_FOR_QUERY) held.reached();
      }
    });
  });
  return {
    ...proxy,
    stopAt: (boundary, name) =>
      new Promise((reached) => {
        stops.push({ boundary, name, reached });
      }),
  };
}

const PARSE = 'P'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);

function parses(message: Buffer, name: string): boolean {
  return message[0] === PARSE && message.includes(`darkroom.${name}(`);
}

/** Cuts a stream into messages: a type of one byte, except in what a client sends first, and a length that counts itself. */
function messages(isFirstUntyped: boolean): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  let typed = isFirstUntyped ? 0 : 1;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const whole: Buffer[] = [];
    while (rest.length >= typed + 4) {
      const end = typed + rest.readUInt32BE(typed);
      if (rest.length < end) break;
      whole.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      typed = 1;
    }
    return whole;
  };
}
