import { createRequire } from 'node:module';
import type { History } from '@temporalio/common/lib/proto-utils.js';

/**
 * Histories as protobuf's JSON. The SDK has the same two functions, but they fail wherever npm gives its packages copies of
 * protobufjs of their own, since a type of one copy is none to the other. Here both come from where the types are.
 */
interface ProtoJson {
  readonly fromJson: (
    type: unknown,
    json: unknown,
    options: { readonly ignoreUnknownFields: boolean },
  ) => History | null;
  readonly toJson: (type: unknown, message: History) => unknown;
}
interface Root {
  lookupType(name: string): { fromObject(value: unknown): History };
}

const ofCommon = createRequire(createRequire(import.meta.url).resolve('@temporalio/common'));
const ofProto = createRequire(ofCommon.resolve('@temporalio/proto'));
const { fromJson, toJson } = ofProto('protobufjs/ext/protojson') as ProtoJson;
const { patchProtobufRoot } = ofCommon('@temporalio/proto/lib/patch-protobuf-root') as {
  readonly patchProtobufRoot: (root: unknown) => Root;
};
const HISTORY = patchProtobufRoot(ofCommon('@temporalio/proto')).lookupType('temporal.api.history.v1.History');

/** Fails with what does not fit. Fields that this SDK does not know are left out: a newer server wrote them. */
export function historyFromJson(json: unknown): History {
  const history = fromJson(HISTORY, json, { ignoreUnknownFields: true });
  if (history === null) throw new TypeError('not a history');
  return history;
}

export function historyToJson(history: History): unknown {
  return toJson(HISTORY, HISTORY.fromObject(history));
}
