import type { ResourceKind } from '../kube/kind.ts';
import type { PatchOperation } from './operation.ts';

/** An operation and its place in the output of the hook, counted from 1 as in the errors. */
export interface NumberedOperation {
  readonly index: number;
  readonly operation: PatchOperation;
}

/**
 * The operations in order, in runs of neighbors that ask for the same of objects of one kind. Only within a run may one
 * be sent before the answer to another is there.
 */
export function neighborsOf(operations: readonly PatchOperation[]): readonly (readonly NumberedOperation[])[] {
  const runs: NumberedOperation[][] = [];
  let lastWork: string | undefined;
  for (const [position, operation] of operations.entries()) {
    const work = workOf(operation);
    const numbered = { index: position + 1, operation };
    if (work === lastWork) runs.at(-1)?.push(numbered);
    else runs.push([numbered]);
    lastWork = work;
  }
  return runs;
}

/**
 * Neighbors in order, in waves of different objects. Of a kind that is not known two neighbors could mean one object, so
 * each is a wave of its own.
 */
export function wavesOf(
  neighbors: readonly NumberedOperation[],
  kind: ResourceKind | undefined,
): readonly (readonly NumberedOperation[])[] {
  const waves: NumberedOperation[][] = [];
  let seen = new Set<string>();
  for (const numbered of neighbors) {
    const object = kind && objectOf(numbered.operation, kind);
    const wave = waves.at(-1);
    if (wave !== undefined && kind !== undefined && (object === undefined || !seen.has(object))) wave.push(numbered);
    else {
      waves.push([numbered]);
      seen = new Set();
    }
    if (object !== undefined) seen.add(object);
  }
  return waves;
}

function workOf({ operation, target: { apiVersion = '', kind }, subresource = '' }: PatchOperation): string {
  return JSON.stringify([operation, apiVersion, kind, subresource]);
}

/** Undefined where the server makes the name: that is always another object. */
function objectOf({ namespace = '', name }: PatchOperation, { isNamespaced }: ResourceKind): string | undefined {
  if (name === undefined) return undefined;
  return isNamespaced ? `${namespace}/${name}` : name;
}
