/*
 * The workers and the runs of a replica that leads, and everything that changes them: what the desk brings, what is due,
 * and what executions ask. After each change of a pool `turn` hands out what can be handed out, lets those go that wait
 * for a place, and looks whether workers are missing. What must hold: a run is handed out only when no worker can have it
 * any more; and it ends only when no worker runs it.
 */

import { INLINE_CONTEXT_BYTES, type HandedRun } from '../../hook/work-desk.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import { goDuration } from '../../lib/duration.ts';
import type { Logger } from '../../log.ts';
import type { Execution } from '../executor.ts';
import { overtimeText } from '../failure.ts';
import { notRun } from '../remote-result.ts';
import { DueTimer } from './due-timer.ts';
import { handOut } from './hand-out.ts';
import type { KnownDigest } from './known-digest.ts';
import { RoomQueue } from './room-queue.ts';
import { afterLoss, executionOfWork, leadsNoMore, type RunLoss } from './work-execution.ts';
import type { WorkMetrics, WorkerOutage } from './work-options.ts';
import { WorkerOutages } from './worker-outages.ts';
import { WorkerSessions } from './worker-sessions.ts';
import type { WorkerSession } from './worker-session.ts';
import { NO_LEADER } from './work-terms.ts';
import type { EndOrder, WorkRun } from './work-run.ts';
import { WorkRuns } from './work-runs.ts';

export interface FloorParts {
  readonly silenceMs: number;
  readonly digest: Pick<KnownDigest, 'current'>;
  readonly onNoWorkers: (outage: WorkerOutage) => void;
  readonly log: Logger;
  readonly metrics: Pick<WorkMetrics, 'runHandoverSeconds' | 'runsLost'>;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** A worker that does not end a run within this time is expelled. */
const OBEY_MS = 30_000;
/** The time limit of a hook is kept by its worker; after so much more the operator orders the end. */
const OVERTIME_GRACE_MS = 60_000;
/** In one answer; the contexts of further runs are asked for. */
const MAX_INLINE_BYTES = 4 * INLINE_CONTEXT_BYTES;

/** Before `begin`; from then on with the time from which runs may be handed out; and after `end`. */
type Leadership = { readonly type: 'before' | 'over' } | { readonly type: 'leads'; readonly handsFromMs: number };

/** What happens between runs and workers; see above. */
export class WorkFloor {
  readonly sessions = new WorkerSessions();
  readonly runs = new WorkRuns();
  readonly rooms = new RoomQueue();
  readonly due: DueTimer;
  readonly #parts: FloorParts;
  readonly #outages: WorkerOutages;
  #leadership: Leadership = { type: 'before' };

  constructor(parts: FloorParts) {
    this.#parts = parts;
    this.due = new DueTimer(parts.elapsed);
    this.#outages = new WorkerOutages({
      ...parts,
      due: this.due,
      find: (pool) => this.#outageIn(pool),
      hasWorker: (pool) => this.sessions.fitting(pool, parts.digest.current).length > 0,
    });
  }

  get leads(): boolean {
    return this.#leadership.type === 'leads';
  }

  /** Leads from now on, and hands out after `waitMs`. */
  begin(waitMs: number): void {
    const handsFromMs = this.#parts.elapsed() + waitMs;
    this.#leadership = { type: 'leads', handsFromMs };
    this.due.set('begin', handsFromMs, () => this.turnAll());
  }

  /** Leads no more; resolves when no worker can have a run of this replica. */
  async end(): Promise<void> {
    this.#leadership = { type: 'over' };
    for (const session of this.sessions.all) session.refuse(NO_LEADER);
    for (const run of this.runs.live) {
      if (run.phase.type === 'waiting') this.#conclude(run, leadsNoMore(run.facts.hook));
    }
    this.rooms.letAllGo();
    await Promise.all([...this.runs.live].map(async ({ ended }) => ended));
  }

  /** A worker has come. */
  enter(session: WorkerSession): void {
    const before = this.sessions.ofPod(session.caller);
    if (before !== undefined) this.expel(before, 'its Pod has said hello again');
    this.sessions.add(session);
    const { capacity, version } = session.hello;
    this.#parts.log.info({ ...fieldsOf(session), capacity, version }, 'worker is here');
    this.heard(session);
    this.turn(session.hello.pool);
  }

  /** A worker was heard: only from now on its silence counts. */
  heard(session: WorkerSession): void {
    const nowMs = this.#parts.elapsed();
    session.beat(nowMs);
    this.due.set(`silence ${session.worker}`, nowMs + this.#parts.silenceMs, () => this.gone(session, 'silent'));
  }

  /** Whether a worker was silent for so long that it is lost, also when its timer is late. */
  isSilent({ beatMs }: WorkerSession): boolean {
    return this.#parts.elapsed() - beatMs >= this.#parts.silenceMs;
  }

  /** A worker is known no more; what it runs ends by its silence. */
  expel(session: WorkerSession, why: string): void {
    this.#parts.log.warn({ ...fieldsOf(session), why }, 'worker expelled');
    session.end('ending');
    if (session.held.size === 0) this.#forget(session);
    this.turn(session.hello.pool);
  }

  /** A worker is gone, and runs nothing any more. */
  gone(session: WorkerSession, how: 'silent' | 'left'): void {
    const held = [...session.held.values()];
    const fields = { ...fieldsOf(session), runs: held.length };
    if (how === 'left') this.#parts.log.info(fields, 'worker left');
    else this.#parts.log.warn({ ...fields, silence: goDuration(this.#parts.silenceMs) }, 'worker lost: it was silent');
    session.end('gone');
    this.#forget(session);
    for (const run of held) this.#lose(session, run, how);
    this.turn(session.hello.pool);
  }

  /** A worker does not have a run that was handed to it. */
  dropped(session: WorkerSession, run: WorkRun): void {
    if (run.phase.type !== 'handed') return;
    this.#lose(session, run, run.phase.isSeen ? 'dropped' : 'onItsWay');
    this.turn(run.pool);
  }

  /** A run is to be executed. */
  submit(run: WorkRun): void {
    this.runs.wait(run);
    this.rooms.executed(run.pool);
    this.turn(run.pool);
  }

  /** A run is to be ended; one that no worker has ends at once. */
  stop(run: WorkRun, why: string): void {
    if (run.phase.type === 'handed') this.#order(run, { type: 'stopped', why });
    if (run.phase.type !== 'waiting') return;
    this.#conclude(run, notRun(run.facts.hook, why));
    this.turn(run.pool);
  }

  /** The worker that has a run sent how it ended. */
  result(session: WorkerSession, run: WorkRun, result: RemoteResult): void {
    session.release(run);
    this.#conclude(run, executionOfWork(run.facts.hook, result), session.worker);
    this.turn(run.pool);
  }

  /** Does what is possible in a pool now. */
  turn(pool: string): void {
    const nowMs = this.#parts.elapsed();
    if (this.#leadership.type !== 'leads') return;
    if (nowMs >= this.#leadership.handsFromMs) {
      this.#handOut(pool, nowMs);
      this.#letGo(pool, nowMs);
    }
    this.#outages.look(pool);
  }

  turnAll(): void {
    for (const pool of new Set([...this.sessions.pools, ...this.runs.pools, ...this.rooms.pools])) this.turn(pool);
  }

  #handOut(pool: string, nowMs: number): void {
    const waiting = this.runs.waitingIn(pool);
    if (waiting.length === 0) return;
    const fitting = this.sessions.fitting(pool, this.#parts.digest.current);
    const free = fitting.flatMap((session) => session.free ?? []);
    const handed = new Map<WorkerSession, WorkRun[]>();
    for (const { run, worker } of handOut(free, waiting)) {
      const session = this.sessions.get(worker);
      if (session === undefined) continue;
      handed.set(session, [...(handed.get(session) ?? []), run]);
    }
    for (const [session, runs] of handed) session.give(this.#handTo(session, runs, nowMs), nowMs);
  }

  #handTo(session: WorkerSession, runs: readonly WorkRun[], nowMs: number): readonly HandedRun[] {
    let leftBytes = MAX_INLINE_BYTES;
    return runs.map((run) => {
      const { contextBytes, timeoutMs } = run.facts;
      const isInline = contextBytes <= INLINE_CONTEXT_BYTES && contextBytes <= leftBytes;
      if (isInline) leftBytes -= contextBytes;
      this.runs.stopWaiting(run);
      const handed = run.handTo(session.worker, { nowMs, isInline });
      session.held.set(run.id, run);
      if (run.isFirst) this.#parts.metrics.runHandoverSeconds.observe({ pool: run.pool }, (nowMs - run.askedMs) / 1000);
      if (timeoutMs !== undefined) {
        const order = { type: 'overtime', why: overtimeText(timeoutMs) } as const;
        this.due.set(`run ${run.id}`, nowMs + timeoutMs + OVERTIME_GRACE_MS, () => this.#order(run, order));
      }
      return handed;
    });
  }

  #letGo(pool: string, nowMs: number): void {
    if (this.rooms.waitingIn(pool) === 0) return;
    const fitting = this.sessions.fitting(pool, this.#parts.digest.current);
    const places = fitting.reduce((sum, session) => sum + session.placesAt(nowMs), 0);
    const againMs = this.rooms.letGo(pool, places - this.runs.waitingIn(pool).length, nowMs);
    if (againMs !== undefined) this.due.set(`room ${pool}`, againMs, () => this.turn(pool));
  }

  #order(run: WorkRun, order: EndOrder): void {
    const session = run.phase.type === 'handed' ? this.sessions.get(run.phase.worker) : undefined;
    if (session === undefined || !run.orderEnd(order)) return;
    this.due.set(`run ${run.id}`, this.#parts.elapsed() + OBEY_MS, () => {
      if (session.state === 'present')
        this.expel(session, `it did not end run ${run.id} within ${goDuration(OBEY_MS)}`);
    });
    session.tellEnds();
  }

  #lose(session: WorkerSession, run: WorkRun, loss: RunLoss): void {
    const { metrics, log } = this.#parts;
    const { hook, runId } = run.facts;
    const after = afterLoss(run, loss, this.leads);
    session.release(run);
    this.due.delete(`run ${runId}`);
    log.warn({ ...fieldsOf(session), hook, run: runId, loss, isRepeated: after.type === 'waits' }, 'run lost');
    if (loss === 'silent' || loss === 'dropped') metrics.runsLost.inc({ hook });
    if (after.type === 'ends') return this.#conclude(run, after.execution);
    run.waitAgain(after.isLoss);
    this.runs.wait(run);
  }

  #conclude(run: WorkRun, execution: Execution, takenFrom?: string): void {
    this.due.delete(`run ${run.id}`);
    this.runs.drop(run, takenFrom);
    run.conclude(execution);
  }

  #forget(session: WorkerSession): void {
    this.due.delete(`silence ${session.worker}`);
    this.sessions.drop(session);
  }

  #outageIn(pool: string): WorkerOutage | undefined {
    const waiting = this.runs.waitingIn(pool).length + this.rooms.waitingIn(pool);
    if (waiting === 0 || !this.leads) return undefined;
    const hooks = this.#parts.digest.current;
    if (this.sessions.fitting(pool, hooks).length > 0) return undefined;
    return { pool, waiting, outdated: this.sessions.outdated(pool, hooks).length };
  }
}

function fieldsOf({ worker, caller, hello }: WorkerSession) {
  // The whole name is what a worker shows.
  return { worker: worker.slice(0, SHOWN), pod: caller.pod, pool: hello.pool };
}

const SHOWN = 6;
