import type { ObjectLike, ObjectToWrite } from './kubernetes-object.ts';
import { plainDocument } from './plain-document.ts';

/** Which object: its address, or the object itself. */
export type Target = ObjectAddress | ObjectLike;

export interface ObjectAddress {
  /** Absent: the version the server prefers. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface CreateOptions {
  /** Such as `status`. */
  readonly subresource?: string;
  /** Apply it although the run fails. */
  readonly ignoreHookError?: boolean;
}

export interface PatchOptions extends CreateOptions {
  /** No error when there is no such object. */
  readonly ignoreMissingObject?: boolean;
}

export interface DeleteOptions {
  /** Delete it only if it is this very object, or is still in this state. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface ApplyOptions extends CreateOptions {
  /** Default `hooklet`. */
  readonly fieldManager?: string;
  /** Take fields over that belong to another manager. */
  readonly force?: boolean;
}

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** Asks for changes in the cluster; they are made in order, after the run and only if it succeeds. */
export class Patch {
  readonly #documents: string[] = [];

  /** It is an error if the object exists. */
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

  /** Server-side apply: only the fields given are set, and this hook owns them. */
  apply<T extends ObjectToWrite>(object: T, options: ApplyOptions = {}): void {
    this.#add('apply', { operation: 'Apply', object, ...options });
  }

  merge(target: Target, mergePatch: Readonly<Record<string, unknown>>, options: PatchOptions = {}): void {
    this.#add('merge', { operation: 'MergePatch', ...addressOf(target), mergePatch, ...options });
  }

  json(target: Target, jsonPatch: readonly JsonPatchOperation[], options: PatchOptions = {}): void {
    this.#add('json', { operation: 'JSONPatch', ...addressOf(target), jsonPatch, ...options });
  }

  /** Changes the object by a jq expression whose result is the whole new object. */
  jq(target: Target, jqFilter: string, options: PatchOptions = {}): void {
    this.#add('jq', { operation: 'JQPatch', ...addressOf(target), jqFilter, ...options });
  }

  /** Waits until the object and what it owns are gone; one that does not exist is no error. */
  delete(target: Target, options: DeleteOptions = {}): void {
    this.#add('delete', { operation: 'Delete', ...addressOf(target), ...options });
  }

  deleteInBackground(target: Target, options: DeleteOptions = {}): void {
    this.#add('deleteInBackground', { operation: 'DeleteInBackground', ...addressOf(target), ...options });
  }

  /** Leaves what the object owns. */
  deleteNonCascading(target: Target, options: DeleteOptions = {}): void {
    this.#add('deleteNonCascading', { operation: 'DeleteNonCascading', ...addressOf(target), ...options });
  }

  /** The patch file of this run. */
  toString(): string {
    return this.#documents.join('');
  }

  // Written down at once, so that a later change of the object by its author changes nothing here.
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
