import type { ObjectLike, ObjectToWrite } from './kubernetes-object.ts';
import { plainDocument } from './plain-document.ts';

/** The object to change: its address, or the object itself. */
export type Target = ObjectAddress | ObjectLike;

export interface ObjectAddress {
  /** Default: the version that the API server prefers. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface CreateOptions {
  /** For example `status`. */
  readonly subresource?: string;
  /** Carry out the operation even if the run fails. */
  readonly ignoreHookError?: boolean;
}

export interface PatchOptions extends CreateOptions {
  /** Do not fail when the object does not exist. */
  readonly ignoreMissingObject?: boolean;
}

export interface DeleteOptions {
  /** Delete the object only if it has this uid, and this resourceVersion. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface ApplyOptions extends CreateOptions {
  /** Default `hooklet`. */
  readonly fieldManager?: string;
  /** Take over fields that belong to another manager. */
  readonly force?: boolean;
}

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** Collects changes of the cluster, which are carried out in order after the run, and only if it succeeds. */
export class Patch {
  readonly #documents: string[] = [];

  /** Fails if the object exists. */
  create<T extends ObjectToWrite>(object: T, options: CreateOptions = {}): void {
    this.#add('create', { operation: 'Create', object, ...options });
  }

  createIfNotExists<T extends ObjectToWrite>(object: T, options: CreateOptions = {}): void {
    this.#add('createIfNotExists', { operation: 'CreateIfNotExists', object, ...options });
  }

  /** Replaces the whole object if it exists. */
  createOrUpdate<T extends ObjectToWrite>(object: T, options: CreateOptions = {}): void {
    this.#add('createOrUpdate', { operation: 'CreateOrUpdate', object, ...options });
  }

  /** Server-side apply: sets only the given fields, which the field manager of the hook then owns. */
  apply<T extends ObjectToWrite>(object: T, options: ApplyOptions = {}): void {
    this.#add('apply', { operation: 'Apply', object, ...options });
  }

  merge(target: Target, mergePatch: Readonly<Record<string, unknown>>, options: PatchOptions = {}): void {
    this.#add('merge', { operation: 'MergePatch', ...addressOf(target), mergePatch, ...options });
  }

  /** Sets fields of the status of the object, whose kind has the subresource; `null` removes one. */
  status(
    target: Target,
    fields: Readonly<Record<string, unknown>>,
    options: Omit<PatchOptions, 'subresource'> = {},
  ): void {
    const mergePatch = { status: fields };
    this.#add('status', {
      operation: 'MergePatch',
      ...addressOf(target),
      subresource: 'status',
      mergePatch,
      ...options,
    });
  }

  json(target: Target, jsonPatch: readonly JsonPatchOperation[], options: PatchOptions = {}): void {
    this.#add('json', { operation: 'JSONPatch', ...addressOf(target), jsonPatch, ...options });
  }

  /** Changes the object with a jq expression, whose result is the whole new object. */
  jq(target: Target, jqFilter: string, options: PatchOptions = {}): void {
    this.#add('jq', { operation: 'JQPatch', ...addressOf(target), jqFilter, ...options });
  }

  /** Deletes the object and what it owns, and waits until they are gone. A missing object is no error. */
  delete(target: Target, options: DeleteOptions = {}): void {
    this.#add('delete', { operation: 'Delete', ...addressOf(target), ...options });
  }

  deleteInBackground(target: Target, options: DeleteOptions = {}): void {
    this.#add('deleteInBackground', { operation: 'DeleteInBackground', ...addressOf(target), ...options });
  }

  /** Deletes the object, but not what it owns. */
  deleteNonCascading(target: Target, options: DeleteOptions = {}): void {
    this.#add('deleteNonCascading', { operation: 'DeleteNonCascading', ...addressOf(target), ...options });
  }

  /** The patch file of this run. */
  toString(): string {
    return this.#documents.join('');
  }

  // Serialized immediately, so that later changes of the object have no effect on the operation.
  #add(method: string, operation: Readonly<Record<string, unknown>>): void {
    this.#documents.push(plainDocument(`patch.${method}`, operation));
  }
}

function addressOf(target: Target): Readonly<Record<string, unknown>> {
  const { apiVersion, kind } = target;
  const { name, namespace } = 'name' in target ? target : (target.metadata ?? {});
  if (kind === undefined) throw new Error(`the object ${name ?? ''} to be changed has no kind`);
  if (name === undefined) throw new Error(`the ${kind} to be changed has no metadata.name`);
  return { apiVersion, kind, namespace, name };
}
