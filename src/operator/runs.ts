import type { Hook } from '../hook/binding.ts';
import type { FactsReader } from '../hook/context.ts';
import { newTask, queueOf, type Task } from '../hook/task.ts';
import type { QueuedTrigger } from '../hook/trigger.ts';
import { aborted } from '../lib/aborted.ts';
import { sleep } from '../lib/sleep.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Queue } from '../queue/queue.ts';
import { Queues } from '../queue/queues.ts';
import { AskedRuns, type Ask } from '../run/asked-runs.ts';
import type { Effects } from '../run/attempt.ts';
import { createJournal, type RunJournal } from '../run/journal.ts';
import { runLog } from '../run/run-log.ts';
import { runMetrics } from '../run/run-metrics.ts';
import type { Run, RunOutcome } from '../run/run.ts';
import type { Executor } from '../runner/executor.ts';
import { createOutputLog } from '../runner/output-log.ts';
import type { ScheduledRuns } from '../sources/schedule/scheduled-runs.ts';
import { EndableRuns, isForRun } from './endable-runs.ts';
import type { HookUnit } from '../units/hook-unit.ts';
import { LoopWarnings } from '../units/loop-warnings.ts';
import { holdOf, type QueueHold } from './queue-holds.ts';
import { runInUnit } from './run-in-unit.ts';
import { scheduleJournal } from './schedule-journal.ts';
import { createQueueFactory } from './task-queue.ts';
import { unitJournal } from './unit-journal.ts';

export interface RunsOptions {
  readonly executor: Pick<Executor, 'execute'>;
  readonly effects: Effects;
  /** The unit that works for a hook; absent when the hook was changed or removed. */
  readonly unitOf: (hook: Hook) => HookUnit | undefined;
  /** The runs of schedules, whose records are kept up to date. */
  readonly scheduledRuns: ScheduledRuns;
  /** The same as `unitOf`, also of a hook that was changed or removed. */
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  /** Called with the hook of each onStartup task that is settled. */
  readonly onStarted: (hook: Hook) => void;
  /** From the signal to end until running hooks are terminated. */
  readonly gracePeriodMs: number;
  /** Aborts when another replica may lead: there is no time to be graceful. */
  readonly lost?: AbortSignal | undefined;
  readonly hookEvents?: RunJournal | undefined;
  readonly logProxyHookJson: boolean;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** A run whose hook was changed or removed ends as it began, if it ends within this time. */
const CHANGED_LIMIT_MS = 10_000;

/** The runs of the operator: tasks in queues, and requests beside them. */
export class Runs {
  readonly #options: RunsOptions;
  readonly #journal: RunJournal;
  readonly #queues: Queues<Task>;
  readonly #asked: AskedRuns;
  readonly #endable = new EndableRuns();
  /** Ends running hooks, when the grace period is over. */
  readonly #terminate = new AbortController();

  constructor(options: RunsOptions) {
    this.#options = options;
    const journal = createRunJournal(options);
    this.#journal = journal;
    const { scheduledRuns } = options;
    const facts: FactsReader = (trigger) => scheduledRuns.facts(trigger);
    const runOptions = { ...options, journal, facts, endable: this.#endable, terminate: this.#terminate.signal };
    this.#queues = new Queues(createQueueFactory(runOptions));
    const run = async (asked: Run, signal: AbortSignal): Promise<RunOutcome> => runInUnit(asked, runOptions, signal);
    this.#asked = new AskedRuns({ run, journal, now: Date.now });
  }

  get queues(): readonly Queue<Task>[] {
    return this.#queues.all;
  }

  /** Makes a trigger of a hook a task in its queue. */
  emit(hook: Hook, trigger: QueuedTrigger): void {
    this.#push(queueOf(trigger), newTask(hook, trigger, Date.now()));
  }

  /** Puts a Synchronization that was taken out of the queue `main` into it again. */
  requeue(task: Task): void {
    this.#push('main', task);
  }

  /** The door for what asks one hook. */
  askerOf(hook: Hook): Ask {
    return this.#asked.askerOf(hook);
  }

  /** Works until `signal` aborts and what ran then has ended, or was terminated after the grace period. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const limit = this.#terminateAfterGrace(signal, ended.signal);
    try {
      await this.#queues.run(signal);
      await this.#asked.end();
    } finally {
      ended.abort();
      await limit;
    }
  }

  /** What holds up its queue. */
  holds(nowMs: number): readonly QueueHold[] {
    return this.#queues.all.map((queue) => holdOf(queue, nowMs)).filter((hold) => hold !== undefined);
  }

  /** What holds up the queue in which this run of a schedule waits. */
  holdOf(runId: string): QueueHold | undefined {
    const queue = this.#queues.all.find(({ tasks }) => tasks.some((task) => isForRun(task, new Set([runId]))));
    return queue && holdOf(queue, Date.now());
  }

  /** Ends these runs of schedules for newer ones, whether they wait or go on. */
  replace(runIds: ReadonlySet<string>): void {
    this.#drop((task) => isForRun(task, runIds), 'replaced');
    this.#endable.replace(runIds);
  }

  /** What waits for a hook that was changed or removed must not hold up the new one, and what runs has some time. */
  endGone(): void {
    const { unitOf, onStarted, log } = this.#options;
    for (const { hook, triggers } of this.#drop((task) => unitOf(task.hook) === undefined, 'gone')) {
      if (triggers[0].type === 'onStartup') onStarted(hook);
    }
    const isGone = (hook: Hook): boolean => unitOf(hook) === undefined;
    this.#endable.endGone(isGone, CHANGED_LIMIT_MS, ({ name }) => {
      log.warn({ hook: name }, 'hook was changed while it ran, and its run did not end: it is ended');
    });
  }

  #push(queue: string, task: Task): void {
    const startedAt = performance.now();
    this.#queues.get(queue).push(task);
    this.#journal.record({ type: 'queued', task, queue });
    const labels = { queue_name: queue, queue_action: 'AddLast' };
    this.#options.metrics.tasksQueueActionSeconds.observe(labels, (performance.now() - startedAt) / 1000);
  }

  #drop(isUnwanted: (task: Task) => boolean, why: 'replaced' | 'gone'): readonly Task[] {
    return this.#queues.all.flatMap((queue) => {
      const dropped = queue.drop(isUnwanted);
      for (const task of dropped) this.#journal.record({ type: 'dropped', task, queue: queue.name, why });
      return dropped;
    });
  }

  async #terminateAfterGrace(signal: AbortSignal, ended: AbortSignal): Promise<void> {
    const { lost, gracePeriodMs } = this.#options;
    const atOnce = lost === undefined ? ended : AbortSignal.any([ended, lost]);
    await Promise.race([aborted(signal), aborted(atOnce)]);
    await sleep(gracePeriodMs, atOnce);
    this.#terminate.abort();
  }
}

function createRunJournal({ unitFor, scheduledRuns, hookEvents, metrics, ...options }: RunsOptions): RunJournal {
  const { log } = options;
  return createJournal([
    runLog({ log, outputLog: createOutputLog(options) }),
    runMetrics(metrics),
    scheduleJournal(scheduledRuns),
    unitJournal({ unitFor, loops: new LoopWarnings({ metrics, log, now: Date.now }) }),
    ...(hookEvents === undefined ? [] : [hookEvents]),
  ]);
}
