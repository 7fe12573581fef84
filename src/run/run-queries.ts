import { isObjectMeant, type RunList, type RunLog, type RunQuery } from '../hook/run-control.ts';
import { readStoredRun } from '../hook/run-record-reader.ts';
import type { RunRecord } from '../hook/run-record.ts';
import { jsonOf, textOf, type KeptRecord } from './kept-records.ts';
import type { LiveRun } from './live-run.ts';
import { recordOfLive } from './record-of.ts';

/** An answer may be this long. */
const MAX_ANSWER_BYTES = 1024 * 1024;

/** The runs that a query asks for, the newest first. */
export function listRuns(live: readonly LiveRun[], kept: readonly KeptRecord[], query: RunQuery): RunList {
  const { hook, isFailed = false, limit } = query;
  const isOfHook = (name: string): boolean => hook === undefined || name === hook;
  const running = isFailed ? [] : live.filter(({ run }) => isOfHook(run.task.hook.name)).map(recordOfLive);
  const ended = kept
    .filter((record) => isOfHook(record.hook) && (!isFailed || record.isFailed) && mayBeMeant(record, query.object))
    .toSorted((a, b) => b.startedAtMs - a.startedAtMs);
  const runs = running.toReversed().filter((record) => isMeant(record, query.object));
  let bytes = 0;
  for (const one of ended) {
    const record = recordOf(one);
    if (!isMeant(record, query.object)) continue;
    bytes += one.head.length;
    if (runs.length >= limit || bytes > MAX_ANSWER_BYTES) return { runs: runs.slice(0, limit), more: true };
    runs.push(record);
  }
  return { runs: runs.slice(0, limit), more: runs.length > limit };
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

/** A quick look before the record is parsed. */
function mayBeMeant(kept: KeptRecord, object: string | undefined): boolean {
  const name = object?.split('/').at(-1) ?? '';
  return name === '' || mayHave(kept, name);
}

function mayHave({ head }: KeptRecord, text: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(JSON.stringify(text));
}
