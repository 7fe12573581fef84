import type { ObjectReference } from '../hook/result.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Kinds, ResourceKind } from '../kube/kind.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { Logger } from '../log.ts';
import { isUnknownResource } from '../kube/api-error.ts';
import { withRetries } from './retries.ts';
import type { StatusMemory } from './status-memory.ts';
import { StatusAttempts } from './status-attempts.ts';
import type { WantedStatus } from './status-plan.ts';
import { checkWanted, explained, isRefusedBySchema, StatusRefusal, withoutSubresource } from './status-refusal.ts';

/**
 * Writes the conditions and the status that a hook gave for one object, by server-side apply on the `status`
 * subresource. The operator calls `writeStatus` once for each object of a run. `status-attempts.ts` has the attempts.
 *
 * What must hold: it never rejects, and ends within the limits of its requests and retries.
 */

export interface StatusTarget extends ObjectReference {
  /** Of the object that the run was about; absent: of whatever object has the name. */
  readonly uid?: string | undefined;
  /** The generation that the run saw; absent: that of the object when it is read. */
  readonly generation?: number | undefined;
  /** The object as it was seen last, with its status and managedFields; absent: it is read. */
  readonly live?: JsonObject | undefined;
  /** Whether `live` is the newest state that is known: then nothing is read when nothing differs. */
  readonly isCurrent?: boolean | undefined;
}

export interface StatusSession {
  readonly client: Pick<KubeClient, 'request'>;
  readonly kinds: Kinds;
  readonly memory: StatusMemory;
  readonly now: () => number;
  readonly log: Logger;
}

/** What became of a status. */
export type StatusOutcome =
  /** `before` is the resourceVersion of the object right before the write, `between` that after the first of two requests. */
  | {
      readonly type: 'written';
      readonly before: string;
      readonly between?: string;
      readonly after: string;
      readonly warning?: string;
    }
  /** `warning` says what was left out, because the server refused it. */
  | { readonly type: 'unchanged'; readonly warning?: string }
  /** The object is gone, or another one has its name. */
  | { readonly type: 'gone' }
  /** `message` says what to do, where that is known. */
  | { readonly type: 'failed'; readonly message: string; readonly error: unknown };

/** Writes a status, or its conditions alone where the server refuses the fields beside them; never rejects. */
export async function writeStatus(
  session: StatusSession,
  target: StatusTarget,
  wanted: WantedStatus,
  signal: AbortSignal,
): Promise<StatusOutcome> {
  const outcome = await writeWanted(session, target, wanted, signal);
  const { conditions, status } = wanted;
  if (outcome.type !== 'failed' || status === undefined || conditions.length === 0) return outcome;
  if (!isRefusedBySchema(outcome.error)) return outcome;
  return withoutFields(outcome, await writeWanted(session, target, { conditions }, signal));
}

async function writeWanted(
  session: StatusSession,
  target: StatusTarget,
  wanted: WantedStatus,
  signal: AbortSignal,
): Promise<StatusOutcome> {
  let kind: ResourceKind | undefined;
  const write = async (): Promise<StatusOutcome> => {
    kind = await statusKind(session, target, signal);
    const attempts = new StatusAttempts({ session, kind, target, wanted, signal });
    const onRetry = (err: unknown, delayMs: number): void =>
      session.log.debug({ err, delayMs }, 'write of a status retried');
    const rule = { retriesConflicts: true, retriesLost: true };
    return withRetries(async () => attempts.next(), { rule, signal, onRetry });
  };
  try {
    checkWanted(wanted);
    return await write().catch(async (error: unknown) => {
      if (!isUnknownResource(error)) throw error;
      // The version of the kind may have changed after it was discovered: discover it again.
      session.kinds.invalidate();
      return write();
    });
  } catch (error) {
    if (isUnknownResource(error) && kind !== undefined) {
      return { type: 'failed', message: withoutSubresource(kind).message, error };
    }
    return { type: 'failed', message: explained(error, kind ?? { group: '', plural: target.kind }), error };
  }
}

type FailedStatus = Extract<StatusOutcome, { readonly type: 'failed' }>;

/** The outcome of the conditions, after the whole status was refused. */
function withoutFields(refused: FailedStatus, outcome: StatusOutcome): StatusOutcome {
  switch (outcome.type) {
    case 'written':
    case 'unchanged':
      return {
        ...outcome,
        warning: `the fields of \`status\` were not written, only the conditions: ${refused.message}`,
      };
    case 'gone':
      return outcome;
    case 'failed': {
      const also = outcome.message === refused.message ? '' : `; the conditions alone: ${outcome.message}`;
      return { ...outcome, message: `neither conditions nor status were written: ${refused.message}${also}` };
    }
    default:
      return unreachable(outcome);
  }
}

/** The kind of the object; throws when its objects have no status subresource, which is looked up again at times. */
async function statusKind(
  { kinds, memory }: StatusSession,
  { apiVersion, kind, namespace }: StatusTarget,
  signal: AbortSignal,
): Promise<ResourceKind> {
  let found = await kinds.resolve({ apiVersion, kind }, signal);
  if (!found.subresources.includes('status') && memory.looksUp(found)) {
    kinds.invalidate();
    found = await kinds.resolve({ apiVersion, kind }, signal);
  }
  if (!found.subresources.includes('status')) throw withoutSubresource(found);
  if (found.isNamespaced && (namespace ?? '') === '') {
    throw new StatusRefusal(`${found.kind} is a namespaced kind, expected the namespace of the object`);
  }
  return found;
}
