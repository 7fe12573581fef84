import type { JsonObject } from '../json.ts';
import { builtInTopology, isBuiltInGroup } from './built-in-topology.ts';
import type { FieldSet } from './field-set.ts';
import { difference, fieldPath, filterFields, intersection, isWithin, union } from './field-set.ts';
import type { FieldManager, FieldManagers } from './managed-fields.ts';
import { compareFields } from './object-fields.ts';
import type { Comparison } from './object-fields.ts';
import { schemaTopology } from './schema-topology.ts';
import type { ObjectTopology } from './topology.ts';

/** What a patch needs to know of the kind it patches. */
export interface PatchKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The `openAPIV3Schema` of this version of a custom resource. */
  readonly schema?: JsonObject;
  /** Whether status is a subresource; when absent it is for built-in kinds, and is not for custom resources. */
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

/** Which fields a request to this endpoint can come to own; the others it does not write. */
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

// These keep what is written to their status through the object itself.
const KINDS_WITHOUT_STATUS_RESET: ReadonlySet<string> = new Set(['ComponentStatus']);

/** What an operation does to the ownership of everybody else. */
export interface Transfer {
  readonly managers: FieldManagers;
  readonly conflicts: readonly { readonly manager: FieldManager; readonly fields: FieldSet }[];
  readonly changes: Comparison;
}

/** Takes from all but `self` the fields that changed, and says whose fields these were. */
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

/** The set without what nobody can own: identity, and what the server alone writes. */
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
