/*
 * Remembers runs. The journal calls `record` for everything that happens to a run; the control socket asks through
 * `RunControl`. A run is in `#live` from its start to its end, then its record is packed and kept, and passed to
 * `stored`, which writes it to disk.
 *
 * What must hold: the memory is bounded, whatever hooks print: the records and the output of live runs together take at
 * most `bytes`. The work for a line of output is to append it and to compare two numbers. Nothing is ever sent to the
 * Kubernetes API, and no contents of objects are kept.
 */

import { UsageError } from '../errors.ts';
import type {
  LogQuery,
  ObjectOutcome,
  ObjectQuery,
  RunControl,
  RunList,
  RunLog,
  RunQuery,
} from '../hook/run-control.ts';
import type { StoredRun } from '../hook/run-record-reader.ts';
import type { RunRecord } from '../hook/run-record.ts';
import { eventually } from '../lib/deadline.ts';
import { shown } from '../lib/shown.ts';
import type { RunEvent, RunJournal } from './journal.ts';
import { KeptRecords, packRecord, type KeptLimits, type KeptRecord } from './kept-records.ts';
import { LiveRun } from './live-run.ts';
import { ObjectOutcomes } from './object-outcomes.ts';
import { recordOfEnded, recordOfLive } from './record-of.ts';
import type { Run } from './run.ts';
import { listRuns, logOf, recordHasRequest, recordOf } from './run-queries.ts';

export interface RunHistoryOptions {
  readonly now: () => number;
  /** Called with the record of each run that ended. */
  readonly stored?: (record: KeptRecord) => void;
  readonly limits?: Partial<HistoryLimits>;
}

export interface HistoryLimits extends KeptLimits {
  /** Objects whose last outcome is known. */
  readonly objects: number;
}

const LIMITS: HistoryLimits = { runs: 20, bytes: 8 * 1024 * 1024, objects: 5000 };
/** What a live run costs besides its output. */
const LIVE_COST = 2048;

/** The runs that are remembered; see above. */
export class RunHistory implements RunJournal, RunControl {
  readonly #options: RunHistoryOptions;
  readonly #limits: HistoryLimits;
  readonly #kept: KeptRecords;
  readonly #outcomes: ObjectOutcomes;
  readonly #live = new Map<string, LiveRun>();
  #liveBytes = 0;

  constructor(options: RunHistoryOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#kept = new KeptRecords(this.#limits);
    this.#outcomes = new ObjectOutcomes(this.#limits.objects);
  }

  /** What all records and the output of live runs take. */
  get bytes(): number {
    return this.#kept.bytes + this.#liveBytes;
  }

  record(event: RunEvent): void {
    if (event.type === 'queued' || event.type === 'dropped') return;
    if (event.type === 'started') this.#start(event.run, event.waitedMs);
    else if (event.type === 'output') this.#print(event);
    else if (event.type === 'ended') this.#end(event);
    else this.#live.get(event.run.id)?.note(event);
  }

  /** The runs that have not ended, in the order of their starts. */
  running(): readonly RunRecord[] {
    return [...this.#live.values()].map(recordOfLive);
  }

  list(query: RunQuery): RunList {
    return listRuns([...this.#live.values()], [...this.#kept.all()], query);
  }

  find(id: string): RunRecord {
    const found = this.#find(id);
    return found instanceof LiveRun ? recordOfLive(found) : recordOf(found);
  }

  async logs(id: string, { after, waitMs = 0, signal }: LogQuery): Promise<RunLog> {
    const found = this.#find(id);
    if (!(found instanceof LiveRun)) return logOf(found, after);
    if (found.tail.count <= after && waitMs > 0) await changed(found, waitMs, signal);
    const { id: runId } = found.run;
    const ended = this.#kept.get(runId);
    return ended === undefined ? { id: runId, ...found.tail.lines(after), ended: false } : logOf(ended, after);
  }

  objects(query: ObjectQuery): readonly ObjectOutcome[] {
    return this.#outcomes.list(query);
  }

  /** What became of the last run of each object, and of each binding whose runs are about none, the latest first. */
  outcomes(): readonly ObjectOutcome[] {
    return this.#outcomes.all();
  }

  /** Takes over records of an earlier process, the newest first. */
  fill(runs: readonly StoredRun[]): void {
    const known = new Set([...this.#kept.all()].map(({ id }) => id));
    const noted = this.#outcomes.keys();
    const added: RunRecord[] = [];
    for (const { record, log } of runs) {
      if (known.has(record.id)) continue;
      known.add(record.id);
      // A record of a run that had not ended was never written; one that says so is not ours.
      if (record.outcome !== 'running' && this.#kept.addBefore(packRecord(record, log))) added.push(record);
    }
    for (const record of added.toReversed()) this.#outcomes.note(record, noted);
  }

  #start(run: Run, waitedMs: number): void {
    this.#live.set(run.id, new LiveRun(run, this.#options.now(), waitedMs));
    this.#grow(LIVE_COST);
  }

  #print({ run, output }: Extract<RunEvent, { readonly type: 'output' }>): void {
    const live = this.#live.get(run.id);
    if (live === undefined) return;
    const before = live.tail.bytes;
    live.print(output);
    this.#grow(live.tail.bytes - before);
    // Nothing is left to forget but what runs print now.
    if (this.bytes > this.#limits.bytes) this.#clear(live);
  }

  #clear(live: LiveRun): void {
    this.#liveBytes -= live.tail.bytes;
    live.tail.clear();
  }

  #grow(bytes: number): void {
    this.#liveBytes += bytes;
    if (this.bytes > this.#limits.bytes) this.#kept.fit(this.#liveBytes);
  }

  #end({ run, outcome, next, parts }: Extract<RunEvent, { readonly type: 'ended' }>): void {
    const live = this.#live.get(run.id);
    // A run whose hook was gone before it started.
    if (live === undefined) return;
    this.#live.delete(run.id);
    this.#liveBytes -= live.tail.bytes + LIVE_COST;
    const record = recordOfEnded(live, { outcome, next, parts, atMs: this.#options.now() });
    const packed = packRecord(record, live.tail.lines().lines);
    this.#kept.add(packed);
    this.#kept.fit(this.#liveBytes);
    this.#outcomes.note(record);
    this.#options.stored?.(packed);
    live.wake();
  }

  #find(id: string): LiveRun | KeptRecord {
    const whole = this.#live.get(id) ?? this.#kept.get(id);
    if (whole !== undefined) return whole;
    const live = [...this.#live.values()].filter(({ run }) => run.id.startsWith(id));
    const kept = [...this.#kept.all()].filter((record) => record.id.startsWith(id));
    const [found = this.#withRequest(id), ...others] = [...live, ...kept];
    if (id === '' || found === undefined) throw new UsageError(`no run ${shown(id)} is remembered`);
    if (others.length > 0) {
      throw new UsageError(`${others.length + 1} runs have an id that begins with ${shown(id)}: give more of it`);
    }
    return found;
  }

  /** The last run that had the request of a caller who was given this id. */
  #withRequest(id: string): LiveRun | KeptRecord | undefined {
    const live = [...this.#live.values()].findLast(({ run }) => hasRequest(run, id));
    return live ?? [...this.#kept.all()].findLast((record) => recordHasRequest(record, id));
  }
}

function hasRequest({ task }: Run, id: string): boolean {
  return task.triggers.some((trigger) => trigger.type === 'http' && trigger.runId === id);
}

/** Waits for a line of the run, or its end. */
async function changed(live: LiveRun, limitMs: number, signal: AbortSignal | undefined): Promise<void> {
  await eventually<void>({ limitMs, late: () => {}, signal }, ({ resolve }) => live.follow(() => resolve()));
}
