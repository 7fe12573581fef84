import type { ResourceKind } from '../kube/kind.ts';
import type { PatchOperation } from './operation.ts';

/** An operation and its position in the hook's output, counted from 1 as in the error messages. */
export interface NumberedOperation {
  readonly index: number;
  readonly operation: PatchOperation;
}

/**
 * Splits the operations, in order, into groups of adjacent ones with the same verb, kind and subresource. Only
 * operations of the same group may be sent without waiting for each other's answers.
 */
export function neighborsOf(operations: readonly PatchOperation[]): readonly (readonly NumberedOperation[])[] {
  const groups: NumberedOperation[][] = [];
  let lastWork: string | undefined;
  for (const [position, operation] of operations.entries()) {
    const work = workOf(operation);
    const numbered = { index: position + 1, operation };
    if (work === lastWork) groups.at(-1)?.push(numbered);
    else groups.push([numbered]);
    lastWork = work;
  }
  return groups;
}

/**
 * Splits neighbors, in order, into waves in which no object occurs twice. If the kind is not known, two operations
 * could mean the same object, so each is a wave of its own.
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

/** `undefined` with `generateName`: that is always another object. */
function objectOf({ namespace = '', name }: PatchOperation, { isNamespaced }: ResourceKind): string | undefined {
  if (name === undefined) return undefined;
  return isNamespaced ? `${namespace}/${name}` : name;
}
