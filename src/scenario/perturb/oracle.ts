/*
 * The oracle: the undisturbed run. A disturbance is over when the world recovers, so a right hook ends where it would have
 * ended, and does on the way nothing that cannot be undone. Compared are, after `mask.ts`:
 *
 * - the objects at the end;
 * - how often hooks and hooklet created and deleted each object. A hook that runs again because its run was cut off may
 *   write the same update again; a second creation or deletion is a loss of what was there.
 * - whether a deleted object was the one that the run had seen;
 * - whether each hook's last run ended as it did without the disturbance.
 *
 * What a run sees as it was (`stale`) it may create once more and delete when it sees better, so there creations are not
 * counted, and deletions only of objects that were there before.
 */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import type { PerturbKind } from '../scenario.ts';
import type { Moment, RunEnded, RunStarted, Write } from '../timeline.ts';
import { isOwnRecord } from '../own-records.ts';
import type { ObjectName } from '../world.ts';
import { differingPaths, type Mask, maskedObjects, objectKey, shownKey } from './mask.ts';
import type { Story } from './play.ts';
import type { Difference } from './difference.ts';

/** How the disturbed world differs from the undisturbed one; none for a right hook. At most 20. */
export function differences(kind: PerturbKind, undisturbed: Story, disturbed: Story, mask: Mask): Difference[] {
  if (disturbed.stuck !== undefined) return [{ type: 'stuck', text: disturbed.stuck }];
  return [
    ...endDifferences(undisturbed, disturbed, mask),
    ...countDifferences(kind, undisturbed, disturbed, mask),
    ...otherObjects(disturbed.timeline),
    ...failedAtLast(undisturbed, disturbed),
  ].slice(0, 20);
}

/** How the objects at the end differ. */
export function endDifferences(undisturbed: Story, disturbed: Story, mask: Mask): Difference[] {
  const before = maskedObjects(undisturbed.objects, mask);
  const after = maskedObjects(disturbed.objects, mask);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): Difference[] => {
    const text = endDifference(key, before.get(key) ?? [], after.get(key) ?? []);
    return text === undefined ? [] : [{ type: 'end', text }];
  });
}

function endDifference(key: string, before: readonly JsonValue[], after: readonly JsonValue[]): string | undefined {
  const shown = shownKey(key);
  if (after.length === 0) return `${shown} is missing`;
  if (before.length === 0) return `${shown} is left over${after.length > 1 ? ` ${after.length} times` : ''}`;
  if (before.length !== after.length) return `${shown}: there are ${after.length} instead of ${before.length}`;
  for (const [index, object] of before.entries()) {
    const [path] = differingPaths(object, after[index]);
    if (path === undefined) continue;
    return `${shown}: ${path} is ${shownAt(after[index], path)} instead of ${shownAt(object, path)}`;
  }
  return undefined;
}

/** The value at a JSON pointer as short text. */
export function shownAt(value: JsonValue | undefined, path: string): string {
  const found = valueAt(value, path);
  const text = found === undefined ? 'absent' : JSON.stringify(found);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** The value at a JSON pointer; undefined where there is none. */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let at = value;
  for (const part of path.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isJsonArray(at)) at = at[Number(key)];
    else if (isJsonObject(at)) at = at[key];
    else return undefined;
  }
  return at;
}

/** Whether the moment is a write by which a hook, or hooklet for a hook, changed an object. */
export function isOwnChange(moment: Moment): moment is Moment & Write {
  return (
    moment.type === 'write' &&
    moment.isChange &&
    (moment.by === 'hook' || moment.by === 'hooklet') &&
    !isOwnRecord(moment.object.kind, moment.object.name)
  );
}

type Counts = Map<string, { creates: number; deletes: number }>;

function countsOf(timeline: readonly Moment[], mask: Mask, isExempt: (write: Write) => boolean): Counts {
  const counts: Counts = new Map();
  for (const moment of timeline) {
    if (!isOwnChange(moment) || (moment.subresource ?? '') !== '' || isExempt(moment)) continue;
    const change = changeOf(moment);
    if (change === undefined) continue;
    const key = writtenKey(moment, mask);
    const count = counts.get(key) ?? { creates: 0, deletes: 0 };
    count[change] += 1;
    counts.set(key, count);
  }
  return counts;
}

/** Objects that were made after the disturbance: their uids. */
function madeLater(timeline: readonly Moment[]): ReadonlySet<JsonValue> {
  const begin = timeline.findIndex(({ type }) => type === 'disturbed');
  const later = begin < 0 ? [] : timeline.slice(begin);
  return new Set(
    later.flatMap((moment) => (moment.type === 'write' && moment.before === undefined ? uidOf(moment.after) : [])),
  );
}

function uidOf(object: JsonObject | undefined): JsonValue[] {
  const uid = object === undefined ? undefined : metadataOf(object)['uid'];
  return uid === undefined ? [] : [uid];
}

/** Whether a write made an object, or began to remove it. */
function changeOf({ verb, before }: Write): 'creates' | 'deletes' | undefined {
  if (verb === 'delete') return 'deletes';
  return before === undefined ? 'creates' : undefined;
}

/** The key of a written object; see `objectKey`. */
export function writtenKey({ object, before, after }: Write, mask: Mask): string {
  return objectKey(after ?? before ?? asObject(object), mask);
}

function asObject({ apiVersion, kind, namespace, name }: ObjectName): JsonObject {
  return { apiVersion, kind, metadata: { namespace, name } };
}

function countDifferences(kind: PerturbKind, undisturbed: Story, disturbed: Story, mask: Mask): Difference[] {
  const allowed = countsOf(undisturbed.timeline, mask, () => false);
  const later = kind === 'stale' ? madeLater(disturbed.timeline) : new Set();
  const isExempt = ({ before }: Write): boolean => uidOf(before).some((uid) => later.has(uid));
  const changes = kind === 'stale' ? (['deletes'] as const) : (['creates', 'deletes'] as const);
  return [...countsOf(disturbed.timeline, mask, isExempt)].flatMap(([key, counts]) =>
    changes.flatMap((type): Difference[] => {
      const most = allowed.get(key)?.[type] ?? 0;
      if (counts[type] <= most) return [];
      const verb = type === 'creates' ? 'created' : 'deleted';
      return [{ type, text: `${shownKey(key)} was ${verb} ${times(counts[type])} instead of ${times(most)}` }];
    }),
  );
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** Objects that were deleted although the run had been given another one of that name. */
function otherObjects(timeline: readonly Moment[]): Difference[] {
  const runs = new Map<string, RunStarted>();
  return timeline.flatMap((moment): Difference[] => {
    if (moment.type === 'run-started') runs.set(moment.run, moment);
    if (!isOwnChange(moment) || moment.verb !== 'delete') return [];
    const run = runs.get(moment.run ?? '');
    if (run === undefined || !isOfAnother(moment, run)) return [];
    const text = `${shownName(moment.object)} was deleted, but ${run.hook} had seen an older object of that name: name its uid in preconditions`;
    return [{ type: 'other-object', text }];
  });
}

function isOfAnother({ before, object }: Write, run: RunStarted): boolean {
  if (before === undefined) return false;
  const seen = uidsIn([...run.contexts], object);
  const uid = metadataOf(before)['uid'];
  return seen.length > 0 && !seen.some((one) => one === uid);
}

/** Kind, namespace and name as people read them. */
export function shownName({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

function uidsIn(value: JsonValue, name: ObjectName): JsonValue[] {
  if (isJsonArray(value)) return value.flatMap((item) => uidsIn(item, name));
  if (!isJsonObject(value)) return [];
  const metadata = metadataOf(value);
  const isIt =
    value['kind'] === name.kind && metadata['name'] === name.name && (metadata['namespace'] ?? '') === name.namespace;
  if (isIt && metadata['uid'] !== undefined) return [metadata['uid']];
  return Object.values(value).flatMap((item) => uidsIn(item, name));
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  return isJsonObject(metadata) ? metadata : {};
}

/** Hooks whose last run failed, where it did not without the disturbance. */
function failedAtLast(undisturbed: Story, disturbed: Story): Difference[] {
  const before = failuresOf(undisturbed);
  return [...failuresOf(disturbed)].flatMap(([hook, message]): Difference[] => {
    if (message === undefined || before.get(hook) !== undefined) return [];
    return [{ type: 'stuck', text: `${hook} still fails at the end: ${message}` }];
  });
}

/**
 * What the last run of each hook failed with; undefined if it did not, or if nothing is left that it was about. One that
 * was cut off with its operator has not failed: what had to be done again was, and what lives in memory alone, such as a
 * request, is gone.
 */
function failuresOf({ timeline, objects }: Story): Map<string, string | undefined> {
  const last = new Map<string, string | undefined>();
  const runs = new Map<string, RunStarted>();
  const there = new Set(objects.flatMap(uidOf));
  const recovery = timeline.findLastIndex(({ type }) => type === 'action');
  for (const [index, moment] of timeline.entries()) {
    if (moment.type === 'run-started') {
      last.set(moment.hook, undefined);
      runs.set(moment.run, moment);
    }
    if (moment.type !== 'run-ended' || moment.outcome === 'interrupted' || moment.outcome === 'replaced') continue;
    const run = runs.get(moment.run);
    // Where the hook was not called, hooklet failed for it. What it does not try again in the whole recovery is moot.
    const isMoot = run === undefined ? moment.next === 'retry' && index < recovery : isOfGone(run, there);
    last.set(moment.hook, isMoot ? undefined : failureOf(moment));
  }
  return last;
}

function failureOf({ outcome, message = 'without a message' }: RunEnded): string | undefined {
  return outcome === 'failed' ? message : undefined;
}

/** Whether a run of a `reconcile` binding was about objects alone that are gone at the end: it is not tried again. */
function isOfGone({ contexts }: RunStarted, there: ReadonlySet<JsonValue>): boolean {
  const reconciled = contexts.map((context) => {
    const object = isJsonObject(context) && context['type'] === 'Reconcile' ? context['object'] : undefined;
    return isJsonObject(object) ? uidOf(object) : [];
  });
  return reconciled.length > 0 && reconciled.every(([uid]) => uid !== undefined && !there.has(uid));
}
