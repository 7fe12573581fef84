import type { Hook } from '../../hook/binding.ts';
import { HooksDigest } from '../../hook/hooks-digest.ts';
import type { PoolView } from '../../hook/operator-view.ts';
import type { WorkDesk } from '../../hook/work-desk.ts';
import type { RecordedEvent } from '../../kube/coordination/event-recorder.ts';
import type { Execution, ExecuteRequest } from '../../runner/executor.ts';
import { createCurrentHash } from '../../runner/work/current-hash.ts';
import { WorkExecutor } from '../../runner/work/work-executor.ts';
import type { WorkerOutage } from '../../runner/work/work-options.ts';
import type { RemoteOptions } from './open-remote.ts';

/** What this replica has executed by workers. */
export class WorkersAtWork {
  readonly #executor: WorkExecutor;

  constructor({ settings, hooksDir, leadership, metrics, events, log, ...options }: RemoteOptions) {
    const { silenceMs, version } = settings.workers;
    const digest = new HooksDigest({ hooksDir, version });
    this.#executor = new WorkExecutor({
      digest: async () => digest.current(),
      hashOf: createCurrentHash(),
      silenceMs,
      // Without an election nobody knows how the process before this one ended.
      isClean: () => leadership?.takenOver === 'released',
      plainExitCodes: options.plainExitCodes ?? false,
      backgroundLimitMs: options.backgroundLimitMs,
      onNoWorkers: (outage) => {
        log.warn({ ...outage }, 'runs wait, and no worker of their pool takes them');
        events.record(noWorkers(outage));
      },
      metrics,
      log,
    });
  }

  get desk(): WorkDesk {
    return this.#executor.desk;
  }

  /** Why no run can be handed out; undefined when they can. No workers are no problem, since they may be about to come. */
  get problem(): string | undefined {
    return this.#executor.problem;
  }

  /** Has a worker execute a run; never rejects. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution> {
    return this.#executor.execute(request, signal);
  }

  /** Resolves when a worker has room for a run of the hook, or `signal` aborts. */
  async room(hook: Hook, signal: AbortSignal): Promise<void> {
    await this.#executor.room(hook, signal);
  }

  pools(): readonly PoolView[] {
    return this.#executor.pools().map(({ name: pool, held: busy, ...counts }) => ({ pool, busy, ...counts }));
  }

  /** Leads until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#executor.run(signal);
  }
}

function noWorkers({ pool, waiting, outdated }: WorkerOutage): RecordedEvent {
  const have =
    outdated === 0 ? '' : `; workers of it with other hooks than the operator, or another version: ${outdated}`;
  const what = waiting === 1 ? '1 run waits' : `${waiting} runs wait`;
  return {
    type: 'Warning',
    reason: 'NoWorkers',
    message: `no worker of the pool ${pool} takes runs, and ${what}${have}`,
  };
}
