import { PatchError } from '../errors.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Kinds, ResourceKind } from '../kube/kind.ts';
import { atOnce } from '../lib/at-once.ts';
import { messageOf } from '../lib/message-of.ts';
import type { Logger } from '../log.ts';
import { isUnknownResource } from '../kube/api-error.ts';
import { createObject } from './create-object.ts';
import { createOrUpdate } from './create-or-update.ts';
import { deleteObject } from './delete-object.ts';
import { jqPatch } from './jq-patch.ts';
import { neighborsOf, wavesOf, type NumberedOperation } from './neighbors.ts';
import { describeTarget, type ApplyOperation, type CreateOperation, type PatchOperation } from './operation.ts';
import { applyObject, patchObject } from './patch-object.ts';
import { PatchMemory } from './patch-memory.ts';
import {
  locate,
  NamespaceMissingError,
  type CompileJq,
  type Outcome,
  type PatchSession,
  type Place,
} from './patch-session.ts';

/**
 * Carries out the patch operations that a hook wrote, after each run that has any. The operator calls `applyOperations`
 * once for the file of a run: all of it after a success, only the operations with `ignoreHookError` after a failure.
 *
 * Operations are grouped into neighbors: adjacent ones of one verb, kind and subresource. The first operation of a
 * group is sent alone, the others in waves in which no object occurs twice, up to 32 requests at once. So the cluster
 * ends in the same state as after one request after another, but a hook that writes many objects does not wait for each
 * answer.
 *
 * What must hold: operations on the same object are sent in the order of the file. A failed operation does not stop the
 * later ones; all failures end in one `PatchError`. `onApplied` sees the operations in the order of the file.
 */

/** Limit of the failures that the error message lists. */
const MAX_SHOWN = 50;
/** Limit of the requests of one run that are sent at the same time. */
const MAX_AT_ONCE = 32;

export interface ApplyOptions {
  readonly client: KubeClient;
  readonly kinds: Kinds;
  /** Needed for JQPatch only. */
  readonly compileJq?: CompileJq | undefined;
  /**
   * Shared by the runs of one operator, so that what was learned in one run saves requests in the next; default a new
   * one.
   */
  readonly memory?: PatchMemory | undefined;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called after each operation that succeeded, in the order of the operations. */
  readonly onApplied?: ((applied: AppliedOperation) => void) | undefined;
}

/** The result of an operation that succeeded. */
export interface AppliedOperation extends Outcome {
  /** Counted from 1, as in the errors. */
  readonly index: number;
  readonly operation: PatchOperation['operation'];
  /** `apps/v1/Deployment/default/web`. */
  readonly target: string;
}

/** Carries out all operations, even when some fail; then rejects with one `PatchError` that lists all failures. */
export async function applyOperations(
  operations: readonly PatchOperation[],
  options: ApplyOptions,
): Promise<readonly AppliedOperation[]> {
  const session = { ...options, compileJq: options.compileJq, memory: options.memory ?? new PatchMemory() };
  const results = new Results(options.onApplied);
  const attemptOne = async (numbered: NumberedOperation): Promise<ResourceKind | undefined> => {
    const attempt: Attempt = { ...numbered, kind: undefined };
    results.add(attempt.index, await resultOf(session, attempt));
    return attempt.kind;
  };
  for (const [first, ...others] of neighborsOf(operations)) {
    if (first === undefined) continue;
    // The first one is sent alone: the others use what it finds out, such as whether objects of the kind are new.
    const kind = await attemptOne(first);
    for (const wave of wavesOf(others, kind))
      await atOnce(wave, MAX_AT_ONCE, async (one) => void (await attemptOne(one)));
  }
  if (results.failures.length > 0) throw patchError(results.failures, operations.length);
  return results.applied;
}

/**
 * Collects the results in the order of the operations, although a later operation may be done before an earlier one.
 */
class Results {
  readonly applied: AppliedOperation[] = [];
  readonly failures: Failure[] = [];
  readonly #onApplied: ApplyOptions['onApplied'];
  readonly #early = new Map<number, AppliedOperation | Failure>();
  #next = 1;

  constructor(onApplied: ApplyOptions['onApplied']) {
    this.#onApplied = onApplied;
  }

  add(index: number, result: AppliedOperation | Failure): void {
    this.#early.set(index, result);
    for (let next = this.#early.get(this.#next); next !== undefined; next = this.#early.get(this.#next)) {
      this.#early.delete(this.#next);
      this.#next += 1;
      this.#take(next);
    }
  }

  #take(result: AppliedOperation | Failure): void {
    if ('attempt' in result) {
      this.failures.push(result);
      return;
    }
    this.applied.push(result);
    this.#onApplied?.(result);
  }
}

async function resultOf(session: PatchSession, attempt: Attempt): Promise<AppliedOperation | Failure> {
  try {
    const outcome = await applyOne(session, attempt);
    return { index: attempt.index, operation: attempt.operation.operation, target: targetOf(attempt), ...outcome };
  } catch (error) {
    return { attempt, error };
  }
}

/** One operation; `kind` is set when discovery has resolved it. */
interface Attempt extends NumberedOperation {
  kind: ResourceKind | undefined;
}

interface Failure {
  readonly attempt: Attempt;
  readonly error: unknown;
}

async function applyOne(session: PatchSession, attempt: Attempt): Promise<Outcome> {
  if (session.signal.aborted) throw new Error('not sent, because the run was stopped');
  try {
    return await applyAt(session, attempt);
  } catch (error) {
    if (!isUnknownResource(error)) throw error;
    // The version of the kind may have changed after it was discovered: discover it again.
    session.kinds.invalidate();
    return applyAt(session, attempt);
  }
}

async function applyAt(session: PatchSession, attempt: Attempt): Promise<Outcome> {
  const { operation } = attempt;
  try {
    const place = await locate(session, operation);
    attempt.kind = place.kind;
    return await carryOut(session, place, operation);
  } catch (error) {
    if (!(error instanceof NamespaceMissingError) || !isForMissing(operation)) throw error;
    // shell-operator gets 404 for the path without a namespace, which is no failure of these operations.
    session.log.warn({ err: error }, `${operation.operation} does nothing, because it names no namespace`);
    return { change: 'absent' };
  }
}

/** Whether it is no failure of the operation that its object does not exist. */
function isForMissing(operation: PatchOperation): boolean {
  if ('ignoreMissingObject' in operation) return operation.ignoreMissingObject;
  return ['Delete', 'DeleteInBackground', 'DeleteNonCascading'].includes(operation.operation);
}

async function carryOut(session: PatchSession, place: Place, operation: PatchOperation): Promise<Outcome> {
  if ('object' in operation) return carryOutObject(session, place, operation);
  switch (operation.operation) {
    case 'Delete':
    case 'DeleteInBackground':
    case 'DeleteNonCascading':
      return deleteObject(session, place, operation);
    case 'MergePatch':
    case 'JSONPatch':
      return patchObject(session, place, operation);
    case 'JQPatch':
      return jqPatch(session, place, operation);
  }
}

async function carryOutObject(
  session: PatchSession,
  place: Place,
  operation: CreateOperation | ApplyOperation,
): Promise<Outcome> {
  if (operation.operation === 'Apply') return applyObject(session, place, operation);
  // An object with `generateName` is always a new one.
  const isUpdate = operation.operation === 'CreateOrUpdate' && operation.name !== undefined;
  return isUpdate ? createOrUpdate(session, place, operation) : createObject(session, place, operation);
}

function targetOf({ operation, kind }: Attempt): string {
  return describeTarget(operation, kind);
}

function patchError(failures: readonly Failure[], total: number): PatchError {
  const lines = failures.slice(0, MAX_SHOWN).map(({ attempt, error }) => {
    const reason = messageOf(error);
    return `\n  operation ${attempt.index}, ${attempt.operation.operation} ${targetOf(attempt)}: ${reason}`;
  });
  const more = failures.length > MAX_SHOWN ? `\n  and ${failures.length - MAX_SHOWN} more` : '';
  const message = `${failures.length} of ${total} patch operation(s) failed:${lines.join('')}${more}`;
  return new PatchError(message, { cause: failures[0]?.error });
}
