import { PatchError } from '../errors.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Kinds, ResourceKind } from '../kube/kind.ts';
import type { Logger } from '../log.ts';
import { isUnknownResource } from './api-error.ts';
import { createObject } from './create-object.ts';
import { createOrUpdate } from './create-or-update.ts';
import { deleteObject } from './delete-object.ts';
import { jqPatch } from './jq-patch.ts';
import { describeTarget, type ApplyOperation, type CreateOperation, type PatchOperation } from './operation.ts';
import { applyObject, patchObject } from './patch-object.ts';
import { PatchMemory } from './patch-memory.ts';
import { locate, type CompileJq, type Outcome, type PatchSession, type Place } from './patch-session.ts';

/** So many failures are told one by one. */
const MAX_SHOWN = 50;

export interface ApplyOptions {
  readonly client: KubeClient;
  readonly kinds: Kinds;
  /** Needed for JQPatch only. */
  readonly compileJq?: CompileJq | undefined;
  /** Kept by the caller from run to run; default a new one. */
  readonly memory?: PatchMemory | undefined;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Called after each operation that was carried out. */
  readonly onApplied?: ((applied: AppliedOperation) => void) | undefined;
}

/** What one operation came to. */
export interface AppliedOperation extends Outcome {
  /** Counted from 1, as in the errors. */
  readonly index: number;
  readonly operation: PatchOperation['operation'];
  /** `apps/v1/Deployment/default/web`. */
  readonly target: string;
}

/**
 * Carries out the operations one after another, the later ones also when earlier ones failed; then rejects with one
 * `PatchError` about all that failed.
 */
export async function applyOperations(
  operations: readonly PatchOperation[],
  options: ApplyOptions,
): Promise<readonly AppliedOperation[]> {
  const session = { ...options, compileJq: options.compileJq, memory: options.memory ?? new PatchMemory() };
  const applied: AppliedOperation[] = [];
  const failures: Failure[] = [];
  for (const [position, operation] of operations.entries()) {
    const attempt: Attempt = { index: position + 1, operation, kind: undefined };
    try {
      const outcome = await applyOne(session, attempt);
      const result = { index: attempt.index, operation: operation.operation, target: targetOf(attempt), ...outcome };
      applied.push(result);
      options.onApplied?.(result);
    } catch (error) {
      failures.push({ attempt, error });
    }
  }
  if (failures.length > 0) throw patchError(failures, operations.length);
  return applied;
}

/** One operation, and its kind as soon as discovery has told it. */
interface Attempt {
  readonly index: number;
  readonly operation: PatchOperation;
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
    // The kind may have changed its version since it was discovered.
    session.kinds.invalidate();
    return applyAt(session, attempt);
  }
}

async function applyAt(session: PatchSession, attempt: Attempt): Promise<Outcome> {
  const { operation } = attempt;
  const place = await locate(session, operation);
  attempt.kind = place.kind;
  return carryOut(session, place, operation);
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
  // An object whose name the server makes is always a new one.
  const isUpdate = operation.operation === 'CreateOrUpdate' && operation.name !== undefined;
  return isUpdate ? createOrUpdate(session, place, operation) : createObject(session, place, operation);
}

function targetOf({ operation, kind }: Attempt): string {
  return describeTarget(operation, kind);
}

function patchError(failures: readonly Failure[], total: number): PatchError {
  const lines = failures.slice(0, MAX_SHOWN).map(({ attempt, error }) => {
    const said = error instanceof Error ? error.message : String(error);
    return `\n  operation ${attempt.index}, ${attempt.operation.operation} ${targetOf(attempt)}: ${said}`;
  });
  const more = failures.length > MAX_SHOWN ? `\n  and ${failures.length - MAX_SHOWN} more` : '';
  const message = `${failures.length} of ${total} patch operation(s) failed:${lines.join('')}${more}`;
  return new PatchError(message, { cause: failures[0]?.error });
}
