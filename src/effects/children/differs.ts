import { metadataOf } from '../api-object.ts';
import { ListElements } from './list-elements.ts';
import { APPLIED_ANNOTATION } from './marks.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';

/**
 * Whether a live child still is what was applied, decided without a request and without comparing values.
 *
 * The child carries a hash of what was applied last, so a different hash means that something else is wanted now. While
 * the hash is the same, the server's `managedFields` say what became of the applied fields: whoever changes or removes
 * one takes it from our field manager. So a child is as it was applied exactly when our field manager still has every
 * field of it. What the server made of a value (`1000m` is kept as `1`), defaults, and fields of others do not matter.
 * It works the same after a restart.
 */

/** What is wanted, marked, and its hash. */
export interface Applied {
  readonly object: JsonObject;
  readonly hash: string;
}

/** What is there of it. */
export interface Present {
  readonly appliedHash: string;
  readonly fields?: JsonObject;
}

const MAX_PATHS = 20;
const OWNED_METADATA = ['labels', 'annotations', 'ownerReferences', 'finalizers'];
const NEVER_OWNED = new Set(['apiVersion', 'kind', 'metadata', 'status']);
/** Stands for a change of what is wanted, whose fields are not known. */
const WANTED = `metadata.annotations.${APPLIED_ANNOTATION}`;

/** The first 20 paths at which the live child is not what is wanted; none when nothing has to be sent. */
export function differences(live: Present, wanted: Applied): readonly string[] {
  if (live.appliedHash !== wanted.hash) return [WANTED];
  const lost: string[] = [];
  const fields = live.fields ?? {};
  const metadata = inner(fields, 'metadata') ?? {};
  for (const key of OWNED_METADATA) collectMember(metadataOf(wanted.object), metadata, { key, path: 'metadata', lost });
  for (const key of Object.keys(wanted.object)) {
    if (!NEVER_OWNED.has(key)) collectMember(wanted.object, fields, { key, path: '', lost });
  }
  return lost;
}

interface Place {
  readonly key: string;
  readonly path: string;
  readonly lost: string[];
}

function collectMember(object: JsonObject, fields: JsonObject, { key, path, lost }: Place): void {
  const value = object[key];
  if (value === undefined || value === null || lost.length >= MAX_PATHS) return;
  const at = path === '' ? key : `${path}.${key}`;
  const owned = inner(fields, key);
  if (owned === undefined) lost.push(at);
  else collect(value, owned, { path: at, lost });
}

/** A node without members is a field that is owned as a whole: a value, or a list or map that is replaced as one. */
function collect(value: unknown, fields: JsonObject, { path, lost }: Omit<Place, 'key'>): void {
  if (Object.keys(fields).length === 0) return;
  if (Array.isArray(value)) collectItems(value, fields, { path, lost });
  else if (isObject(value)) for (const key of Object.keys(value)) collectMember(value, fields, { key, path, lost });
}

function collectItems(items: readonly unknown[], fields: JsonObject, { path, lost }: Omit<Place, 'key'>): void {
  const elements = new ListElements(Object.keys(fields));
  for (const [index, item] of items.entries()) {
    if (lost.length >= MAX_PATHS) return;
    const at = `${path}[${index}]`;
    const owned = fields[elements.take(item) ?? ''];
    if (isObject(owned)) collect(item, owned, { path: at, lost });
    else lost.push(at);
  }
}

function inner(fields: JsonObject, key: string): JsonObject | undefined {
  const value = fields[`f:${key}`];
  return isObject(value) ? value : undefined;
}
