import { shortHash } from '../lib/short-hash.ts';
import type { ReconcileBinding } from './binding.ts';

/** The label of every child, with the mark of the binding that made it. */
export const MARK_LABEL = 'hooklet.dev/reconcile';
/** The label of every child, with the uid of its parent. */
export const PARENT_LABEL = 'hooklet.dev/parent-uid';

const MAX_READABLE = 50;

/**
 * The mark of a reconcile binding, a label value: its name, and a hash of the name and the parent's kind. It does not
 * depend on the version of the kind or on the file of the hook, so that children are found again when these change.
 */
export function reconcileMark({ name, kind, apiVersion = '' }: Pick<ReconcileBinding, MarkField>): string {
  const hash = shortHash(name, groupOfVersion(apiVersion), kind);
  const readable = name
    .replaceAll(/[^A-Za-z0-9_.-]/g, '-')
    .slice(0, MAX_READABLE)
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  return readable === '' ? hash : `${readable}-${hash}`;
}

type MarkField = 'name' | 'kind' | 'apiVersion';

/** The finalizer of a reconcile binding on its parents. */
export function finalizerOf(binding: Pick<ReconcileBinding, MarkField>): string {
  return `hooklet.dev/${reconcileMark(binding)}`;
}

/** Whether parents of the binding get its finalizer: the hook is asked before a deletion, or children are collected. */
export function needsFinalizer({ finalize, owns }: Pick<ReconcileBinding, 'finalize' | 'owns'>): boolean {
  return finalize || owns.some(({ otherNamespaces }) => otherNamespaces);
}

/** `Deployment.apps`, or `ConfigMap` of the core group: the name of a kind in `owned` of a Reconcile context. */
export function ownedKey({ kind, apiVersion = '' }: { readonly kind: string; readonly apiVersion?: string }): string {
  const group = groupOfVersion(apiVersion);
  return group === '' ? kind : `${kind}.${group}`;
}

/** The group of an `apiVersion`; empty for the core group. */
export function groupOfVersion(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? '' : group;
}
