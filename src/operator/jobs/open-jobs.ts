/*
 * Runs that are Jobs, on this replica: the server that their Pods ask, its certificate, and, while this replica leads,
 * what executes them. Nothing is opened before a hook has `executor: job`. A run that begins earlier waits; one that goes
 * on when the operator ends is left to the next leader. What must hold: Pods are answered until the last run of this
 * operator has ended.
 */

import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import { jobRuleOf } from '../../hook/executor-rule.ts';
import type { Hook } from '../../hook/binding.ts';
import { aborted } from '../../lib/aborted.ts';
import { latch } from '../../lib/latch.ts';
import { abortable } from '../../lib/abortable.ts';
import { runAll } from '../../lib/run-all.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Effects } from '../../run/attempt.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { Executor } from '../../runner/executor.ts';
import { notRun } from '../../runner/job/job-execution.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import type { Leadership, OperatorParts } from '../operator-parts.ts';
import type { AskedHooks } from '../webhooks/asked-hooks.ts';
import type { ServedJobs } from './served-jobs.ts';
import type { JobsSettings } from './settings.ts';

export interface JobsOptions {
  readonly settings: JobsSettings;
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

const NOT_OPEN =
  'the Pod of hooklet, which Jobs have their image and their owner from, could not be read yet: see the log, or set --jobs-image';

/** The runs of this replica that are Jobs; see above. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #served = latch<ServedJobs>();
  #isWanted = false;
  #now: ServedJobs | undefined;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Executes the hooks that are Jobs, and `others` the others; concludes a run when its outcome was recorded. */
  partsFor(others: Pick<Executor, 'execute'>): Pick<OperatorParts, 'executor' | 'jobs'> {
    const jobs: RunJournal = {
      record: (event) => {
        if (event.type !== 'ended') return;
        const { outcome, run } = event;
        // Its task goes with this process: the Pod of a Job hands its result to the next leader, which applies it.
        const isLeft = outcome.type === 'interrupted' && outcome.by === 'shutdown';
        if (!isLeft) this.#now?.executor.concluded(run.id);
      },
    };
    return { executor: this.#executor(others), jobs };
  }

  #executor(others: Pick<Executor, 'execute'>): Pick<Executor, 'execute'> {
    return {
      execute: async (request, signal) => {
        if (!isJob(request.hook)) return others.execute(request, signal);
        try {
          const served = await abortable(this.#served.promise, signal);
          const problem = served.problemOf(request.hook);
          return problem === undefined
            ? await served.executor.execute(request, signal)
            : notRun(request.hook.name, problem);
        } catch (cause) {
          return notRun(request.hook.name, 'the operator ended before its Job was created', cause);
        }
      },
    };
  }

  /** The checks of `/readyz`; none while there are no such hooks. */
  readiness(): readonly HealthCheck[] {
    if (!this.#isWanted) return [];
    const problem = this.#now === undefined ? NOT_OPEN : this.#now.problem;
    return [{ name: 'jobs', isOk: problem === undefined, message: problem ?? '' }];
  }

  /** Works until `signal` aborts, which is after the last run has ended. */
  async run(asked: AskedHooks, signal: AbortSignal): Promise<void> {
    if (!(await untilWanted(asked, signal))) return;
    this.#isWanted = true;
    // Only here, so that a start without Jobs does not read the code for them.
    const { ServedJobs: Opened } = await import('./served-jobs.ts');
    const served = await Opened.open(this.#options, asked, signal);
    if (served === undefined) return;
    this.#now = served;
    this.#served.resolve(served);
    const { leadership } = this.#options;
    const lead = async (stop: AbortSignal): Promise<void> => {
      await Promise.race([leadership?.leading, aborted(stop)]);
      await served.certified(stop);
      if (!stop.aborted) await served.executor.run(leadership === undefined ? stop : either(stop, leadership.lost));
      await aborted(stop);
    };
    await runAll([async (stop) => served.run(stop), lead], signal);
  }
}

function either(one: AbortSignal, other: AbortSignal): AbortSignal {
  return AbortSignal.any([one, other]);
}

function isJob(hook: Hook): boolean {
  return jobRuleOf(hook) !== undefined;
}

/** Resolves when a hook is to be run as Jobs, or `signal` aborts. */
async function untilWanted(asked: AskedHooks, signal: AbortSignal): Promise<boolean> {
  // From before the first look, so that no load is missed.
  const changes = asked.changes(signal);
  const isWanted = (): boolean => asked.hooks().some(isJob);
  if (isWanted()) return true;
  for await (const _ of changes) if (isWanted()) return true;
  return false;
}
