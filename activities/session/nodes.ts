import type { Deadline } from '../deadline.js';
import { JobFailure } from '../failure.js';
import { createNodeApi, type NodeApi, type NodeConnection, type NodeVersion } from './node.js';

export interface KnownNode {
  readonly connection: NodeConnection;
  readonly api: NodeApi;
  /** Asked once in a while: a node that was updated tells its new version within a minute. */
  version(deadline: Deadline): Promise<NodeVersion>;
}

const VERSION_AGE_MS = 60_000;

export class Nodes {
  readonly #nodes: ReadonlyMap<string, KnownNode>;

  constructor(connections: readonly NodeConnection[]) {
    this.#nodes = new Map(connections.map((connection) => [connection.node, known(connection)]));
  }

  /** Fails with `config_mismatch` when this process holds no entry for the node. */
  get(node: string): KnownNode {
    const found = this.#nodes.get(node);
    if (found === undefined) throw new JobFailure('config_mismatch', `Node ${node}.`);
    return found;
  }

  get hashes(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#nodes].map(([node, { connection }]) => [node, connection.hash]));
  }

  get all(): readonly KnownNode[] {
    return [...this.#nodes.values()];
  }
}

function known(connection: NodeConnection): KnownNode {
  const api = createNodeApi(connection);
  let asked: { readonly at: number; readonly version: NodeVersion } | undefined;
  return {
    connection,
    api,
    version: async (deadline) => {
      if (asked === undefined || performance.now() - asked.at > VERSION_AGE_MS) {
        asked = { at: performance.now(), version: await api.version(deadline) };
      }
      return asked.version;
    },
  };
}
