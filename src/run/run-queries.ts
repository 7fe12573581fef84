import { isObjectMeant, type RunList, type RunLog, type RunQuery } from '../hook/run-control.ts';
import { readStoredRun } from '../hook/run-record-reader.ts';
import type { RunRecord } from '../hook/run-record.ts';
import { jsonOf, mayBeAbout, textOf, type KeptRecord } from './kept-records.ts';
import type { LiveRun } from './live-run.ts';
import { recordOfLive } from './record-of.ts';

/** An answer may be this long. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The runs that a query asks for, the newest first. */
export function listRuns(live: readonly LiveRun[], kept: readonly KeptRecord[], query: RunQuery): RunList {
  const { hook, limit, effort = Number.POSITIVE_INFINITY } = query;
  const running = mayRun(query) ? live.filter(({ run }) => hook === undefined || run.task.hook.name === hook) : [];
  const ended = kept.filter((record) => mayBeAsked(record, query)).toSorted((a, b) => b.startedAtMs - a.startedAtMs);
  const runs = running
    .map(recordOfLive)
    .toReversed()
    .filter((record) => isAsked(record, query) && isInTime(Date.parse(record.started), query));
  let [bytes, looked] = [0, 0];
  for (const one of ended) {
    if (!mayBeMeant(one, query.object)) continue;
    if (looked >= effort) return { runs: runs.slice(0, limit), more: true };
    looked += 1;
    const record = recordOf(one);
    if (!isAsked(record, query)) continue;
    bytes += one.head.length;
    if (runs.length >= limit || bytes > MAX_ANSWER_BYTES) return { runs: runs.slice(0, limit), more: true };
    runs.push(record);
  }
  return { runs: runs.slice(0, limit), more: runs.length > limit };
}

/** Whether runs that have not ended can be asked for. */
function mayRun({ isFailed = false, outcome = 'running', error }: RunQuery): boolean {
  return !isFailed && outcome === 'running' && error === undefined;
}

/** A quick look before the record is parsed. */
function mayBeAsked(record: KeptRecord, query: RunQuery): boolean {
  const { hook, isFailed = false, outcome, object } = query;
  if (hook !== undefined && record.hook !== hook) return false;
  if ((isFailed || outcome === 'failed') && !record.isFailed) return false;
  if (object !== undefined && !mayBeAbout(record, nameOf(object))) return false;
  return isInTime(record.startedAtMs, query) && outcome !== 'running';
}

function isInTime(startedAtMs: number, { beforeMs, sinceMs }: RunQuery): boolean {
  return startedAtMs < (beforeMs ?? Number.POSITIVE_INFINITY) && startedAtMs >= (sinceMs ?? 0);
}

function isAsked(record: RunRecord, { object, outcome, error }: RunQuery): boolean {
  if (outcome !== undefined && record.outcome !== outcome) return false;
  if (error !== undefined && record.error?.includes(error) !== true) return false;
  return isMeant(record, object);
}

/** The record that was packed. */
export function recordOf(kept: KeptRecord): RunRecord {
  const stored = readStoredRun(JSON.parse(textOf(kept.head)));
  if (stored === undefined) throw new Error(`the record of run ${kept.id} cannot be read`);
  return stored.record;
}

/** The lines that are kept of a run that ended. */
export function logOf(kept: KeptRecord, after: number): RunLog {
  const stored = readStoredRun(JSON.parse(jsonOf(kept)));
  const log = stored?.log ?? [];
  const first = (stored?.record.lines ?? 0) - log.length;
  const from = Math.max(after, first);
  return { id: kept.id, from, lines: log.slice(from - first), ended: true };
}

function isMeant({ objects }: RunRecord, object: string | undefined): boolean {
  return object === undefined || objects.some((one) => isObjectMeant(object, one));
}

/** Whether the run of a record had the request whose caller was given this id. */
export function recordHasRequest(kept: KeptRecord, id: string): boolean {
  return mayHave(kept, id) && recordOf(kept).requestIds?.includes(id) === true;
}

function mayBeMeant(kept: KeptRecord, object: string | undefined): boolean {
  return object === undefined || mayHave(kept, nameOf(object));
}

function nameOf(object: string): string {
  return object.split('/').at(-1) ?? '';
}

function mayHave({ head }: KeptRecord, text: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(JSON.stringify(text));
}
