import type { KindReference } from '../kube/kind.ts';
import { shownName } from '../lib/shown.ts';
import type { JsonObject } from '../lib/json-object.ts';

/** One change that a hook asks for, with defaults filled in. */
export type PatchOperation =
  | CreateOperation
  | DeleteOperation
  | MergePatchOperation
  | JsonPatchOperation
  | JqPatchOperation
  | ApplyOperation;

export interface CreateOperation extends OperationTarget {
  readonly operation: 'Create' | 'CreateIfNotExists' | 'CreateOrUpdate';
  readonly object: JsonObject;
}

export interface DeleteOperation extends NamedTarget {
  readonly operation: 'Delete' | 'DeleteInBackground' | 'DeleteNonCascading';
  readonly preconditions?: Preconditions;
}

/** The deletion happens only if the object has these values. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface MergePatchOperation extends NamedTarget {
  readonly operation: 'MergePatch';
  readonly mergePatch: JsonObject;
  readonly ignoreMissingObject: boolean;
}

export interface JsonPatchOperation extends NamedTarget {
  readonly operation: 'JSONPatch';
  readonly jsonPatch: readonly JsonObject[];
  readonly ignoreMissingObject: boolean;
}

export interface JqPatchOperation extends NamedTarget {
  readonly operation: 'JQPatch';
  readonly jqFilter: string;
  readonly ignoreMissingObject: boolean;
}

/** Server-side apply. */
export interface ApplyOperation extends NamedTarget {
  readonly operation: 'Apply';
  readonly object: JsonObject;
  readonly fieldManager: string;
  readonly force: boolean;
}

/** The object that an operation changes. */
export interface OperationTarget {
  readonly target: KindReference;
  readonly namespace?: string;
  /** Absent only with `generateName`. */
  readonly name?: string;
  /** Without a leading slash. */
  readonly subresource?: string;
  /** Whether the operation is also carried out after a failed run. */
  readonly ignoreHookError: boolean;
}

interface NamedTarget extends OperationTarget {
  readonly name: string;
}

/** The operations that are carried out even after a failed run. */
export function operationsDespiteFailure(operations: readonly PatchOperation[]): readonly PatchOperation[] {
  return operations.filter(({ ignoreHookError }) => ignoreHookError);
}

/** `apps/v1/Deployment/default/web`, followed by `/status` or another subresource; `known` is the resolved kind. */
export function describeTarget(operation: PatchOperation, known?: KindReference): string {
  const { apiVersion, kind } = known ?? operation.target;
  const name = operation.name ?? `${generateNameOf(operation)}*`;
  return [apiVersion, kind, operation.namespace, name, operation.subresource].filter(Boolean).join('/');
}

const MAX_NAME = 253;

function generateNameOf(operation: PatchOperation): string {
  const metadata: unknown = 'object' in operation ? operation.object['metadata'] : undefined;
  const isObject = typeof metadata === 'object' && metadata !== null && 'generateName' in metadata;
  return isObject ? shownName(String(metadata.generateName), MAX_NAME) : '';
}
