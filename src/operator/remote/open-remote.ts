/*
 * Runs that are executed in other Pods, on this replica: as Jobs, or by workers. Both have one port with one certificate,
 * where those Pods ask; while this replica leads, each has what executes its runs. Each part is opened when the first hook
 * wants it, which may come with a reload; a run that begins earlier waits. What must hold: Pods are answered until the last
 * run of this operator has ended.
 */

import type { Hook } from '../../hook/binding.ts';
import { jobRuleOf, workersRuleOf } from '../../hook/executor-rule.ts';
import type { PoolView } from '../../hook/operator-view.ts';
import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import { aborted } from '../../lib/aborted.ts';
import { runAll } from '../../lib/run-all.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Effects } from '../../run/attempt.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { ExecuteRequest, Execution, Executor } from '../../runner/executor.ts';
import { notRun } from '../../runner/remote-result.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import type { Leadership, OperatorParts } from '../operator-parts.ts';
import type { AskedHooks } from '../webhooks/asked-hooks.ts';
import type { JobsAtWork } from './jobs-at-work.ts';
import { LatePart } from './late-part.ts';
import type { RunPort } from './run-port.ts';
import type { RemoteSettings } from './settings.ts';
import type { WorkersAtWork } from './workers-at-work.ts';

export interface RemoteOptions {
  readonly settings: RemoteSettings;
  readonly hooksDir: string;
  readonly plainExitCodes?: boolean;
  readonly backgroundLimitMs?: number | undefined;
  readonly access: ClusterAccess;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly effects: Effects;
  readonly leadership: Leadership | undefined;
  readonly metrics: Metrics;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Aborts when the operator is to end. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

const NOT_OPEN = {
  jobs: 'the Pod of hooklet, which Jobs have their image and their owner from, could not be read yet: see the log, or set --jobs-image',
  workers: 'the port that workers ask is not open yet',
} as const;

/** What both executors of other Pods have in common. */
type Part = JobsAtWork | WorkersAtWork;

/** The runs of this replica in other Pods; see above. */
export class RemoteRuns {
  readonly #options: RemoteOptions;
  readonly #port = new LatePart<RunPort>((hook) => isJob(hook) || isForWorkers(hook));
  readonly #jobs = new LatePart<JobsAtWork>(isJob);
  readonly #workers = new LatePart<WorkersAtWork>(isForWorkers);

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Executes each hook where its settings say, by `others` where they say nothing; concludes a Job when its outcome was recorded. */
  partsFor(others: Pick<Executor, 'execute'>): Pick<OperatorParts, 'executor' | 'jobs' | 'room' | 'pools'> {
    const jobs: RunJournal = {
      record: (event) => {
        if (event.type !== 'ended') return;
        const { outcome, run } = event;
        // Its task goes with this process: the Pod of a Job hands its result to the next leader, which applies it.
        const isLeft = outcome.type === 'interrupted' && outcome.by === 'shutdown';
        if (!isLeft) this.#jobs.now?.concluded(run.id);
      },
    };
    return {
      executor: { execute: async (request, signal) => this.#execute(request, others, signal) },
      jobs,
      room: async (hook, signal) => this.#room(hook, signal),
      pools: () => this.#pools(),
    };
  }

  /** The checks of `/readyz`; none while there are no such hooks. */
  readiness(): readonly HealthCheck[] {
    return [...this.#check('jobs', this.#jobs), ...this.#check('workers', this.#workers)];
  }

  /** The port that it serves; undefined until then. */
  get port(): number | undefined {
    return this.#port.now?.number;
  }

  /** Works until `signal` aborts, which is after the last run has ended. */
  async run(asked: AskedHooks, signal: AbortSignal): Promise<void> {
    const port = await this.#port.open(asked, async () => this.#openPort(), signal);
    if (port === undefined) return;
    const surroundings = { asked, port };
    await runAll(
      [
        async (stop) => port.run(stop),
        async (stop) =>
          // Only here, so that a start without Jobs does not read the code for them.
          this.#lead(
            await this.#jobs.open(
              asked,
              async () => (await import('./jobs-at-work.ts')).JobsAtWork.open(this.#options, surroundings, stop),
              stop,
            ),
            stop,
          ),
        async (stop) =>
          this.#lead(
            await this.#workers.open(
              asked,
              async () => new (await import('./workers-at-work.ts')).WorkersAtWork(this.#options),
              stop,
            ),
            stop,
          ),
      ],
      signal,
    );
  }

  async #openPort(): Promise<RunPort> {
    const { RunPort: Port } = await import('./run-port.ts');
    return new Port(this.#options, { job: () => this.#jobs.now?.desk, work: () => this.#workers.now?.desk });
  }

  /** Waits until this replica leads, and has a part work until it does no more. */
  async #lead(part: Part | undefined, stop: AbortSignal): Promise<void> {
    const { leadership } = this.#options;
    await Promise.race([leadership?.leading, aborted(stop)]);
    const leads = leadership === undefined ? stop : AbortSignal.any([stop, leadership.lost]);
    if (!stop.aborted) await part?.run(leads);
    await aborted(stop);
  }

  async #execute(request: ExecuteRequest, others: Pick<Executor, 'execute'>, signal: AbortSignal): Promise<Execution> {
    const { hook } = request;
    const part = isJob(hook) ? this.#jobs : isForWorkers(hook) ? this.#workers : undefined;
    if (part === undefined) return others.execute(request, signal);
    try {
      return await (await part.ready(signal)).execute(request, signal);
    } catch (cause) {
      const whereTo = isJob(hook) ? 'its Job was created' : 'a worker had its run';
      return notRun(hook.name, `the operator ended before ${whereTo}`, cause);
    }
  }

  /** Resolves when a worker has room for a run of the hook, at once for any other hook, and when `signal` aborts. */
  async #room(hook: Hook, signal: AbortSignal): Promise<void> {
    if (!isForWorkers(hook)) return;
    try {
      await (await this.#workers.ready(signal)).room(hook, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #pools(): readonly PoolView[] {
    return this.#workers.now?.pools() ?? [];
  }

  #check(
    name: keyof typeof NOT_OPEN,
    { isWanted, now }: Pick<LatePart<Part>, 'isWanted' | 'now'>,
  ): readonly HealthCheck[] {
    if (!isWanted) return [];
    const problem = now === undefined ? NOT_OPEN[name] : (this.#port.now?.problem ?? now.problem);
    return [{ name, isOk: problem === undefined, message: problem ?? '' }];
  }
}

function isJob(hook: Hook): boolean {
  return jobRuleOf(hook) !== undefined;
}

function isForWorkers(hook: Hook): boolean {
  return workersRuleOf(hook) !== undefined;
}
