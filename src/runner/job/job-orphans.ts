/*
 * Jobs that this operator finds and has not made: those of an earlier leader, or of itself before a restart. What nobody
 * has claimed has not begun, and is deleted, since its task is run again. A run whose Pod is still there is taken over:
 * it is `free`, until an execution of the same ticks takes it as its own (`taken`), or until it has ended and is given
 * to `adopt` (`adopting`). What must hold: while one of them may run, no other run of its hook begins, so that no object
 * is in two runs.
 */

import { within } from '../../lib/deadline.ts';
import { abortable } from '../../lib/abortable.ts';
import { latch, type Latch } from '../../lib/latch.ts';
import { remember } from '../../lib/remember.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Execution, ExecuteRequest } from '../executor.ts';
import type { JobDeletions } from './job-deletions.ts';
import { executionOf } from './job-execution.ts';
import { judgeFound, type FoundJob, type JudgeParts } from './found-job.ts';
import type { JobState } from './job-state.ts';
import { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { JobEnd } from './next-step.ts';
import type { SeenPod } from './pod-state.ts';
import type { StartSlots } from './start-slots.ts';
import { supervise, type SuperviseParts } from './supervise.ts';

/** A run that was taken over, and that no execution has taken as its own. */
export interface AdoptedRun {
  readonly hook: string;
  readonly runId: string;
  readonly attempt: number;
  /** Of `ExecuteRequest`. */
  readonly ticks?: readonly string[];
  /** When its Job was created, in milliseconds since the epoch. */
  readonly startedAtMs: number;
}

/**
 * Applies what a run that was taken over asked for; the run is concluded when it resolves, unless it is left to the next
 * leader.
 */
export type Adopt = (run: AdoptedRun, execution: Execution) => Promise<'left' | undefined>;

export interface OrphanParts extends SuperviseParts, Pick<JudgeParts, 'namespace' | 'seal'> {
  readonly runs: LiveRuns;
  readonly slots: StartSlots;
  readonly deletions: JobDeletions;
  readonly adopt: Adopt;
  /** Called with each run that has ended, before it is concluded. */
  readonly onEnd: (run: LiveRun, end: JobEnd) => void;
  readonly conclude: (run: LiveRun) => void;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'jobsAdopted'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

type RunningJob = Extract<FoundJob, { readonly type: 'runs' }>;

interface Orphan {
  readonly run: LiveRun;
  readonly startedAtMs: number;
  /** Ends the run. */
  readonly stop: AbortController;
  /** Resolves when somebody takes it, or another run of its hook waits for its end. */
  readonly wanted: Latch<void>;
  readonly execution: Latch<Execution>;
  readonly done: Latch<void>;
  state: 'free' | 'taken' | 'adopting';
}

/** For the queue to come to the ticks of a run that has ended. */
const TAKE_MS = 60_000;
/** So many Jobs are remembered that were deleted, or are none of ours. */
const MAX_CLEANED = 10_000;

/** The runs of earlier leaders; see above. */
export class JobOrphans {
  readonly #parts: OrphanParts;
  readonly #open = new Set<Orphan>();
  readonly #following = new Set<Promise<void>>();
  readonly #cleaned = new Map<string, string>();

  constructor(parts: OrphanParts) {
    this.#parts = parts;
  }

  /** A Job was found that no run is known of; `signal` ends the leadership. */
  found(job: JobState, pods: readonly SeenPod[], signal: AbortSignal): void {
    const { runs, namespace, seal } = this.#parts;
    if (runs.isPast(job.namespace, job.name)) return;
    const isKnown = (runId: string): boolean => runs.findByRunId(runId) !== undefined;
    const judged = judgeFound(job, pods, { namespace, isKnown, ...(seal && { seal }) });
    switch (judged.type) {
      case 'past':
        return undefined;
      case 'foreign':
        return this.#leaveAlone(job);
      case 'useless':
        return this.#clean(job, judged.why);
      case 'runs':
        return this.#begin(job, this.#takeOver(job, judged, pods), signal);
    }
  }

  #begin(job: JobState, run: LiveRun, signal: AbortSignal): void {
    const orphan: Orphan = {
      run,
      startedAtMs: job.createdAtMs,
      stop: new AbortController(),
      wanted: latch(),
      execution: latch(),
      done: latch(),
      state: 'free',
    };
    this.#open.add(orphan);
    const followed = this.#follow(orphan, signal).finally(() => this.#following.delete(followed));
    this.#following.add(followed);
  }

  /**
   * Waits until no run of the hook is left over; resolves with the result of the one that is the very run of the
   * request. Rejects with the reason of `signal`.
   */
  async settle(request: ExecuteRequest, signal: AbortSignal): Promise<Execution | undefined> {
    const all = [...this.#open].filter(({ run }) => run.facts.hook === request.hook.name);
    const same = all.find(({ state, run }) => state === 'free' && isSame(run.facts.ticks, request.ticks));
    if (same !== undefined) this.#take(same, request, signal);
    for (const { wanted } of all) wanted.resolve();
    const others = all.filter((orphan) => orphan !== same).map(async ({ done }) => done.promise);
    const ended = abortable(Promise.all(others), signal);
    if (same === undefined) await ended;
    // Where the signal has aborted, it ends the run that was taken, too.
    else await ended.catch(() => {});
    return same?.execution.promise;
  }

  /** Resolves when none is followed any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#following);
  }

  #take(orphan: Orphan, { runId, onOutput }: ExecuteRequest, signal: AbortSignal): void {
    orphan.state = 'taken';
    orphan.run.tellTo(onOutput);
    this.#parts.runs.alias(runId, orphan.run);
    const stop = (): void => orphan.stop.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }

  #takeOver(job: JobState, { facts, grant }: RunningJob, pods: readonly SeenPod[]): LiveRun {
    const { runs, slots, elapsed, now, log, metrics } = this.#parts;
    const { namespace, name } = job;
    const fields = { hook: facts.hook, run: facts.runId };
    const run = new LiveRun({
      facts,
      namespace,
      job: name,
      contexts: undefined,
      elapsed,
      onOutput: (output) => {
        const { stream, line } =
          output.type === 'line' ? output.line : { stream: 'log', line: JSON.stringify(output.entry) };
        log.info({ ...fields, output: stream, line }, 'hook output');
      },
    });
    runs.add(run);
    slots.force();
    run.created(job.uid, { ...grant, ageMs: Math.max(0, now() - (grant.atMs ?? now())) });
    run.sawJob(job);
    for (const pod of pods) run.sawPod(pod);
    metrics.jobsAdopted.inc({});
    log.info({ ...fields, job: name, namespace }, 'a run of an earlier leader goes on, it is taken over');
    return run;
  }

  async #follow(orphan: Orphan, signal: AbortSignal): Promise<void> {
    const { run } = orphan;
    const { slots, onEnd } = this.#parts;
    try {
      const isLeaving = (): boolean => signal.aborted || this.#parts.isLeaving();
      const both = AbortSignal.any([signal, orphan.stop.signal]);
      const end = await supervise(run, { ...this.#parts, isLeaving }, both);
      onEnd(run, end);
      const execution = executionOf(run, end);
      orphan.execution.resolve(execution);
      slots.give();
      if (end.type !== 'left') await this.#giveAway(orphan, execution, signal);
    } finally {
      this.#open.delete(orphan);
      orphan.done.resolve();
    }
  }

  /** Whoever has taken the run concludes it. */
  async #giveAway(orphan: Orphan, execution: Execution, signal: AbortSignal): Promise<void> {
    const { adopt, conclude, log } = this.#parts;
    const { run, startedAtMs } = orphan;
    const { hook, runId, attempt, ticks } = run.facts;
    if (ticks !== undefined) {
      await within(orphan.wanted.promise, { limitMs: TAKE_MS, late: () => {}, signal }).catch(() => {});
    }
    if (orphan.state === 'taken' || signal.aborted) return;
    orphan.state = 'adopting';
    try {
      const adopted = { hook, runId, attempt, startedAtMs, ...(ticks !== undefined && { ticks }) };
      // Its Pod goes on asking, and hands its result to the next leader.
      if ((await adopt(adopted, execution)) === 'left') return;
    } catch (error) {
      // It is not concluded, so that its Pod shows it to the next leader.
      log.error({ err: error, hook, run: runId }, 'what a run of an earlier leader asked for was not applied');
      return;
    }
    conclude(run);
  }

  #clean(job: JobState, why: string): void {
    const { namespace, name, uid, resourceVersion } = job;
    if (this.#cleaned.get(uid) === resourceVersion) return;
    this.#note(job);
    this.#parts.log.info(
      { job: name, namespace, hook: job.facts?.hook ?? '', why },
      'a Job of an earlier leader is deleted',
    );
    this.#parts.deletions.add({ namespace, name, uid, resourceVersion, how: 'delete' });
  }

  #note({ uid, resourceVersion }: JobState): void {
    remember(this.#cleaned, uid, { value: resourceVersion, limit: MAX_CLEANED });
  }

  #leaveAlone(job: JobState): void {
    const { name, namespace, uid } = job;
    if (this.#cleaned.has(uid)) return;
    this.#note(job);
    this.#parts.log.warn({ job: name, namespace }, 'a Job has the label of this installation, and is none of its Jobs');
  }
}

function isSame(ticks: readonly string[] | undefined, others: readonly string[] | undefined): boolean {
  if (ticks === undefined || others === undefined || ticks.length !== others.length) return false;
  const known = new Set(ticks);
  return others.every((tick) => known.has(tick));
}
