// The rules by which fields of an object change their owner, for updates and applies alike. A field that a request
// changes is taken from all its other owners; a field that it does not change keeps them. A request can own only what
// its endpoint writes, and nobody owns the fields that identify an object or that only the server writes.

import type { JsonObject } from '../json.ts';
import { builtInTopology, isBuiltInGroup } from './built-in-topology.ts';
import type { FieldSet } from './field-set.ts';
import { difference, fieldPath, filterFields, intersection, isWithin, union } from './field-set.ts';
import type { FieldManager, FieldManagers } from './managed-fields.ts';
import { compareFields } from './object-fields.ts';
import type { Comparison } from './object-fields.ts';
import { schemaTopology } from './schema-topology.ts';
import type { ObjectTopology } from './topology.ts';

/** What a patch needs to know about the kind of its object. */
export interface PatchKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The `openAPIV3Schema` of this version of a custom resource. */
  readonly schema?: JsonObject;
  /** Whether status is a subresource; default true for built-in kinds and false for custom resources. */
  readonly hasStatus?: boolean;
}

/** The `apiVersion` of a kind. */
export function apiVersionOf({ group, version }: PatchKind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The topology of the objects of a kind. */
export function topologyFor(kind: PatchKind): ObjectTopology {
  return isBuiltInGroup(kind.group) ? builtInTopology(kind) : schemaTopology(kind.schema);
}

/** The fields that a request to this endpoint can own; it does not write the others. */
export function ownableThrough(kind: PatchKind, subresource: string): (path: string) => boolean {
  const isBuiltIn = isBuiltInGroup(kind.group);
  if (subresource === 'status') {
    if (!isBuiltIn) return (path) => isWithin(path, STATUS);
    return (path) => !isWithin(path, SPEC) && !isWithin(path, LABELS);
  }
  if (!(kind.hasStatus ?? (isBuiltIn && !KINDS_WITHOUT_STATUS_RESET.has(kind.kind)))) return () => true;
  return (path) => !isWithin(path, STATUS);
}

const STATUS = fieldPath('status');
const SPEC = fieldPath('spec');
const LABELS = fieldPath('metadata', 'labels');

// Their status can be written through the object itself.
const KINDS_WITHOUT_STATUS_RESET: ReadonlySet<string> = new Set(['ComponentStatus']);

/** The effect of a write on the other managers: what they still own, and the fields that are taken from each. */
export interface Transfer {
  readonly managers: FieldManagers;
  readonly conflicts: readonly { readonly manager: FieldManager; readonly fields: FieldSet }[];
  readonly changes: Comparison;
}

/**
 * Takes the changed fields from all managers but `self`. `conflicts` lists the managers that owned an added or modified
 * field.
 */
export function transferFields(
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  managers: FieldManagers,
  self: string,
  { topology, isOwnable }: { readonly topology: ObjectTopology; readonly isOwnable: (path: string) => boolean },
): Transfer {
  const all = compareFields(before, after, topology);
  const changes = {
    added: filterFields(all.added, isOwnable),
    modified: filterFields(all.modified, isOwnable),
    removed: filterFields(all.removed, isOwnable),
  };
  const written = union(changes.added, changes.modified);
  const others = [...managers].filter(([identity]) => identity !== self);
  const conflicts = others
    .map(([, manager]) => ({ manager, fields: intersection(manager.fields, written) }))
    .filter(({ fields }) => fields.size > 0);
  const left = new Map(managers);
  for (const [identity, manager] of others) {
    const fields = difference(difference(manager.fields, written), changes.removed);
    if (fields.size === 0) left.delete(identity);
    else left.set(identity, { ...manager, fields });
  }
  return { managers: left, conflicts, changes };
}

/**
 * Returns the set without the fields that nobody can own: the identity of the object, and what only the server writes.
 */
export function withoutServerFields(fields: FieldSet): FieldSet {
  return filterFields(fields, (path) => !SERVER_FIELDS.has(path));
}

const SERVER_FIELDS: ReadonlySet<string> = new Set([
  fieldPath('apiVersion'),
  fieldPath('kind'),
  fieldPath('metadata'),
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => fieldPath('metadata', name)),
]);
