import { createHash } from 'node:crypto';
import {
  failedOutcome,
  type CompiledFilter,
  type FilterInput,
  type FilterOutcome,
} from '../../filter/compiled-filter.ts';
import { finalizerOf, PARENT_LABEL } from '../../hook/reconcile-mark.ts';
import type { ReconcileBinding } from '../../hook/binding.ts';
import { stateAnnotation, withoutKept } from '../../hook/kept-state.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import { shortHash } from '../../lib/short-hash.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';

/*
 * What the monitors of a reconcile binding keep of each object besides the object itself, as their filterResult: a line
 * of JSON that says how it is linked to parents, and after it the filterResult of the hook's own filter, or a digest of
 * the object where there is none. So a monitor passes an event exactly when one of the two changed.
 */

/** What is known of a parent. */
export interface ParentFacts {
  readonly uid: string;
  readonly isDeleting: boolean;
  /** Whether our finalizer is on it. */
  readonly isMarked: boolean;
  /** A digest of the state that the hook keeps with it; absent: it keeps none. */
  readonly kept?: string;
}

/**
 * The filter of parents. A change of the status alone, of our finalizer, or of what hooks keep with the object leaves the
 * second part as it was.
 */
export function parentFilter(binding: ReconcileBinding, own: CompiledFilter | undefined): CompiledFilter {
  const finalizer = finalizerOf(binding);
  const annotation = stateAnnotation(binding);
  return withHead(own ?? digestFilter((value) => parentContent(value, finalizer)), ({ value }) => {
    const { uid, deletionTimestamp, finalizers, annotations } = metadataOf(value);
    const isMarked = Array.isArray(finalizers) && finalizers.includes(finalizer);
    const state = asJsonObject(annotations)[annotation];
    const facts: ParentFacts = {
      uid: text(uid),
      isDeleting: deletionTimestamp !== undefined,
      isMarked,
      ...(state !== undefined && { kept: keptDigest(text(state)) }),
    };
    return { head: JSON.stringify(facts) };
  });
}

/** The filter of children: the head is the uid of the parent. */
export function ownedFilter(own: CompiledFilter | undefined): CompiledFilter {
  return withHead(own ?? digestFilter(contentOf), ({ value }) => {
    const labels = asJsonObject(metadataOf(value)['labels']);
    return { head: JSON.stringify(text(labels[PARENT_LABEL])) };
  });
}

/** The filter of watched objects: the head has the keys of the parents that `targets` names. */
export function watchedFilter(targets: CompiledFilter, own: CompiledFilter | undefined): CompiledFilter {
  return withHead(own ?? digestFilter(contentOf), (object) => {
    const { namespace } = object;
    const outcome = targets.apply(object);
    return outcome instanceof Promise
      ? outcome.then((late) => headOfTargets(late, namespace))
      : headOfTargets(outcome, namespace);
  });
}

/** Takes a filterResult of these filters apart; undefined for the one of a filter that failed before the head. */
export function splitResult(filterResult: string | undefined): { readonly head: unknown; readonly own: string } {
  const end = filterResult?.indexOf('\n') ?? -1;
  if (filterResult === undefined || end === -1) return { head: undefined, own: filterResult ?? 'null' };
  const head: unknown = JSON.parse(filterResult.slice(0, end));
  return { head, own: filterResult.slice(end + 1) };
}

/** The facts in the head of a parent's filterResult. */
export function factsOf(head: unknown): ParentFacts {
  const { uid, isDeleting, isMarked, kept } = asJsonObject(head);
  return {
    uid: text(uid),
    isDeleting: isDeleting === true,
    isMarked: isMarked === true,
    ...(typeof kept === 'string' && { kept }),
  };
}

/** What distinguishes the texts of the annotation with the state. */
export function keptDigest(annotation: string): string {
  return shortHash(annotation);
}

/** Whether the head says that the parents of a watched object are not known now. */
export function isUnknown(head: unknown): boolean {
  return head === false;
}

/** The keys in the head of a watched object's filterResult, or the uid in that of a child. */
export function linksOf(head: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(head) ? head : [head];
  return all.filter((one) => typeof one === 'string').filter((one) => one !== '');
}

/** The key of a watched object that matters to all parents. */
export const ALL_PARENTS = '*';

/** The head of an object whose `for` failed: the parents that it is for are not known. */
const UNKNOWN = 'false';

const MAX_TARGETS = 1000;

interface Head {
  readonly head: string;
  readonly error?: string;
}

function withHead(own: CompiledFilter, headOf: (object: FilterInput) => Head | Promise<Head>): CompiledFilter {
  return {
    apply: (object) => {
      const head = headOf(object);
      const outcome = own.apply(object);
      if (!(head instanceof Promise) && !(outcome instanceof Promise)) return joined(head, outcome);
      return joinedLate(head, outcome);
    },
  };
}

async function joinedLate(
  head: Head | Promise<Head>,
  outcome: FilterOutcome | Promise<FilterOutcome>,
): Promise<FilterOutcome> {
  const [first, second] = await Promise.all([head, outcome]);
  return joined(first, second);
}

function joined({ head, error: headError }: Head, { result, error }: FilterOutcome): FilterOutcome {
  const problem = headError ?? error;
  return { result: `${head}\n${result}`, ...(problem !== undefined && { error: problem }) };
}

function digestFilter(content: (value: unknown) => unknown): CompiledFilter {
  return {
    apply: ({ value }) => {
      try {
        return { result: digestOf(content(value)) };
      } catch (error) {
        if (error instanceof RangeError) return failedOutcome('the object is nested too deeply');
        throw error;
      }
    },
  };
}

function digestOf(content: unknown): string {
  return JSON.stringify(createHash('sha256').update(JSON.stringify(content)).digest('base64'));
}

function contentOf(value: unknown): unknown {
  const { managedFields: _fields, resourceVersion: _version, ...metadata } = metadataOf(value);
  return { ...asJsonObject(value), metadata };
}

function parentContent(value: unknown, finalizer: string): unknown {
  const { status: _status, ...object } = asJsonObject(value);
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...metadata } = metadataOf(value);
  const { finalizers, annotations } = metadata;
  // An empty list or mapping is as good as none.
  const own = {
    ...(Array.isArray(finalizers) && { finalizers: unlessEmpty(finalizers.filter((one) => one !== finalizer)) }),
    ...(isObject(annotations) && { annotations: unlessEmpty(withoutKept(annotations)) }),
  };
  return { ...object, metadata: { ...metadata, ...own } };
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

function metadataOf(value: unknown): Readonly<Record<string, unknown>> {
  return asJsonObject(asJsonObject(value)['metadata']);
}

function headOfTargets({ result, error }: FilterOutcome, namespace: string): Head {
  if (error !== undefined) return { head: UNKNOWN, error: `for: ${error}` };
  const value: unknown = JSON.parse(result);
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wanted = names.filter((name) => name !== null);
  const isUsable = wanted.length <= MAX_TARGETS && wanted.every(isTarget);
  if (isUsable) return { head: JSON.stringify(wanted.flatMap((name) => keysOf(name, namespace))) };
  const expected = `a name, namespace/name, "*" for all, a list of at most ${MAX_TARGETS} of these, or null`;
  return { head: UNKNOWN, error: `for: got ${shown(value)}, expected ${expected}` };
}

function isTarget(name: unknown): name is string {
  return typeof name === 'string' && /^[^/]+(?:\/[^/]+)?$/.test(name);
}

/** `*` is all parents; a name alone that of a parent in the namespace of the object, or of a cluster-scoped parent. */
function keysOf(name: string, namespace: string): readonly string[] {
  if (name === ALL_PARENTS || name.includes('/')) return [name];
  return namespace === '' ? [`/${name}`] : [`${namespace}/${name}`, `/${name}`];
}
