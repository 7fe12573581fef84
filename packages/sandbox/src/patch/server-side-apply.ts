// Server-side apply: the client sends exactly the fields that it wants to own, and the server merges them into the
// object and records the ownership in `metadata.managedFields`. applyPatch calls this for every apply patch; without a
// current object it creates one.
//
// The steps: the applied object is checked (applied-check.ts) and merged into the live one (merge-fields.ts). Fields
// that this manager applied last time and does not apply now are removed, unless another manager owns them too
// (`prune`). The result is compared with the live object: an added or modified field that another manager owns is a
// conflict, or with `force` is taken from that manager (ownership.ts). Then the manager owns exactly the fields that it
// applied.
//
// The time of its entry changes only if the object changes, so that an apply that changes nothing is not a write.

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { checkApplied } from './applied-check.ts';
import { isBuiltInGroup } from './built-in-topology.ts';
import type { FieldSet } from './field-set.ts';
import { difference, filterFields, intersection, printPath, sortedPaths, union } from './field-set.ts';
import type { FieldManager, FieldManagers } from './managed-fields.ts';
import { identityOf, metadataOf, readManagers, withManagers, withoutManagers } from './managed-fields.ts';
import { mergeFields } from './merge-fields.ts';
import { fieldsOf, removeFields, withNamedFields } from './object-fields.ts';
import type { PatchKind, Transfer } from './ownership.ts';
import { apiVersionOf, ownableThrough, topologyFor, transferFields, withoutServerFields } from './ownership.ts';
import { badRequest, PatchRefused } from './patch-refused.ts';
import { trackManagers } from './track-update.ts';

/** One server-side apply; `current` is undefined if the object does not exist. */
export interface ApplyRequest {
  readonly current: JsonObject | undefined;
  readonly patch: unknown;
  readonly fieldManager: string;
  readonly force: boolean;
  readonly kind: PatchKind;
  readonly now: string;
  readonly subresource?: string;
}

/**
 * Returns the object with the applied fields and the new ownership; throws PatchRefused for an invalid patch, or for
 * conflicts without `force`.
 */
export function serverSideApply(request: ApplyRequest): JsonObject {
  const { kind, now, subresource = '', fieldManager } = request;
  const applied = parseApplied(request);
  const scope = { topology: topologyFor(kind), isOwnable: ownableThrough(kind, subresource) };
  checkApplied(applied, scope.topology, kind);
  const live = withoutManagers(request.current ?? { apiVersion: apiVersionOf(kind), kind: kind.kind });
  const recorded = managersBefore(request, live);
  const entry = { manager: fieldManager, operation: 'Apply', apiVersion: apiVersionOf(kind), subresource } as const;
  const identity = identityOf(entry);
  const last = recorded.get(identity);
  const fields = filterFields(fieldsOf(applied, scope.topology), scope.isOwnable);
  const self: FieldManager = { ...(last?.time !== undefined && { time: last.time }), ...entry, fields };
  const managers = new Map([...recorded, [identity, self]]);
  const merged = mergeFields(live, applied, scope.topology);
  const after = prune(merged, last?.fields ?? new Set(), managers, kind);
  const transfer = transferFields({ before: live, after }, managers, identity, scope);
  if (!request.force && transfer.conflicts.length > 0) throw conflict(transfer.conflicts);
  const settled = {
    ...self,
    ...(!isDeepStrictEqual(live, after) && { time: now }),
    fields: withoutServerFields(fields),
  };
  return withManagers(after, new Map([...transfer.managers, [identity, settled]]));
}

function parseApplied({ patch, fieldManager, kind }: ApplyRequest): JsonObject {
  if (fieldManager === '') throw withoutFieldManager();
  if (!isJsonObject(patch)) {
    const message = 'json: cannot unmarshal array into Go value of type map[string]interface {}';
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${message}`);
  }
  if (patch['apiVersion'] !== apiVersionOf(kind) || patch['kind'] !== kind.kind) {
    throw badRequest(`invalid object type: ${typeOf(patch)}`);
  }
  if (metadataOf(patch)['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  return patch;
}

function withoutFieldManager(): PatchRefused {
  const message = 'Required value: is required for apply patch';
  return new PatchRefused({
    code: 422,
    reason: 'Invalid',
    message: `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`,
    details: {
      group: 'meta.k8s.io',
      kind: 'PatchOptions',
      causes: [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }],
    },
  });
}

function typeOf({ apiVersion, kind }: JsonObject): string {
  const version = typeof apiVersion === 'string' ? apiVersion : '';
  return `${version.includes('/') ? version : `/${version}`}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/**
 * The managers that are recorded. If the object exists and has no record, its fields belong to a manager of their own.
 */
function managersBefore({ current, kind, now }: ApplyRequest, live: JsonObject): FieldManagers {
  const recorded = readManagers(current) ?? new Map();
  if (recorded.size > 0 || current === undefined) return recorded;
  return trackManagers(undefined, live, recorded, { name: 'before-first-apply', operation: 'Update', time: now, kind });
}

/** Removes the fields that the manager applied last time and does not apply now, unless another manager owns them. */
function prune(merged: JsonObject, last: FieldSet, managers: FieldManagers, kind: PatchKind): JsonObject {
  if (last.size === 0) return merged;
  const topology = topologyFor(kind);
  // The types of built-in kinds know no null; a custom resource keeps it, and its schema judges it.
  const shape = { topology, emptied: isBuiltInGroup(kind.group) ? 'absent' : 'null' } as const;
  const named = (fields: FieldSet): FieldSet => withNamedFields(fields, topology);
  const owned = named(union(...[...managers.values()].map(({ fields }) => fields)));
  const mergedSet = named(fieldsOf(merged, topology));
  const without = removeFields(merged, named(last), shape);
  const kept = union(named(fieldsOf(without, topology)), owned);
  const restored = removeFields(merged, difference(mergedSet, kept), shape);
  const restoredSet = named(fieldsOf(restored, topology));
  return removeFields(merged, intersection(difference(mergedSet, restoredSet), named(last)), shape);
}

function conflict(conflicts: Transfer['conflicts']): PatchRefused {
  const found = conflicts
    .map(({ manager, fields }) => ({ printed: printManager(manager), paths: sortedPaths(fields).map(printPath) }))
    .toSorted((left, right) => (left.printed < right.printed ? -1 : 1));
  const causes = found.flatMap(({ printed, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${printed}`, field })),
  );
  const [first] = causes;
  const lines = found.flatMap(({ printed, paths }) => [
    `conflicts with ${printed}:`,
    ...paths.map((path) => `- ${path}`),
  ]);
  const message =
    causes.length === 1 && first !== undefined
      ? `Apply failed with 1 conflict: ${first.message}: ${first.field}`
      : `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
  return new PatchRefused({ code: 409, reason: 'Conflict', message, details: { causes } });
}

function printManager({ manager, operation, apiVersion, subresource }: FieldManager): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${through}${using}`;
}
