import { PatchError } from '../errors.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Kinds } from '../kube/kind.ts';
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
  const failures: { readonly text: string; readonly error: unknown }[] = [];
  for (const [position, operation] of operations.entries()) {
    const index = position + 1;
    try {
      const result = { index, operation: operation.operation, ...(await applyOne(session, operation)) };
      applied.push(result);
      options.onApplied?.(result);
    } catch (error) {
      failures.push({ text: `operation ${index}, ${operation.operation} ${describe(operation, error)}`, error });
    }
  }
  if (failures.length > 0) {
    const lines = failures.map(({ text }) => `\n  ${text}`).join('');
    const message = `${failures.length} of ${operations.length} patch operation(s) failed:${lines}`;
    throw new PatchError(message, { cause: failures[0]?.error });
  }
  return applied;
}

type Applied = Outcome & { readonly target: string };

async function applyOne(session: PatchSession, operation: PatchOperation): Promise<Applied> {
  if (session.signal.aborted) throw new Error('not sent, because the run was stopped');
  try {
    return await applyAt(session, operation);
  } catch (error) {
    if (!isUnknownResource(error)) throw error;
    // The kind may have changed its version since it was discovered.
    session.kinds.invalidate();
    return applyAt(session, operation);
  }
}

async function applyAt(session: PatchSession, operation: PatchOperation): Promise<Applied> {
  const place = await locate(session, operation);
  const outcome = await carryOut(session, place, operation);
  return { target: describeTarget(operation, place.kind), ...outcome };
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

function describe(operation: PatchOperation, error: unknown): string {
  return `${describeTarget(operation)}: ${error instanceof Error ? error.message : String(error)}`;
}
