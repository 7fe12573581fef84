/*
 * One life of the operator of a world, from its start to its end or its death. `live-world.ts` starts one, and another
 * when the first was killed or has ended.
 *
 * A life that was killed is cut off at once: its requests reach the sandbox no more, its hooks are killed, what it still
 * records does not count. The rest of it ends later, unseen, in `dead`.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { HookFailedError } from '../../errors.ts';
import { latch } from '../../lib/latch.ts';
import type { RunEvent, RunJournal } from '../../run/journal.ts';
import type { ExecuteRequest, Execution, FailedExecution } from '../../runner/executor.ts';
import type { Runner } from '../../runner/runner.ts';
import type { SpawnerChild } from '../../runner/spawner-child.ts';
import { runOperator, type OpenedOperator, type OperatorOptions } from '../../operator/run-operator.ts';
import type { DrivenCluster } from './driven-cluster.ts';
import { IdleRuns } from './idle-runs.ts';
import { recordRuns, type RunRecorder } from './record-runs.ts';
import type { Recorder } from './recorder.ts';

export interface LifeOptions {
  /** Everything but what a life adds. */
  readonly operator: OperatorOptions;
  readonly driven: DrivenCluster;
  readonly recorder: Recorder;
  readonly spawner: SpawnerChild;
  /** What a run of a hook has in its environment besides the rest. */
  readonly envOf: (runId: string) => Readonly<Record<string, string>>;
  /** Hooks whose next run is to be killed, and after how many effects; an entry goes when that run begins. */
  readonly doomed: Map<string, number>;
  /** Whether runs of schedules that do nothing are left out. */
  readonly isSparing: boolean;
  /** Called when something has happened. */
  readonly onSign: () => void;
}

/** The run for which something is done in this life. */
export const currentRun = new AsyncLocalStorage<string | undefined>();

/** A run that is killed when nothing is left of its effects. */
interface Doom {
  left: number;
  readonly end: AbortController;
}

/** What is there of a run that was killed. */
function killed({ hook }: ExecuteRequest): FailedExecution {
  const ending = { signal: 'SIGKILL', timedOut: false };
  const error = new HookFailedError(`hook ${hook.name}: it was killed by SIGKILL`, { ending });
  return { type: 'failed', by: 'hook', error, isCutOff: true };
}

export class OperatorLife {
  readonly #options: LifeOptions;
  readonly #end = new AbortController();
  readonly #runs: RunRecorder;
  readonly #ended: Promise<void>;
  readonly #opened = latch<OpenedOperator>();
  #inside: OpenedOperator | undefined;
  #isLoaded = false;
  #isCut = false;
  #failure: unknown;
  #signs = 0;
  readonly #dooms = new Map<string, Doom>();

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#runs = recordRuns(options, () => this.#isCut);
    const running = runOperator(
      {
        ...options.operator,
        spawner: options.spawner,
        observer: this.#journal(),
        around: (runner) => this.#around(runner),
        onOpened: (opened) => {
          this.#inside = opened;
          this.#opened.resolve(opened);
        },
        onLoaded: () => {
          this.#isLoaded = true;
          this.#sign();
        },
      },
      this.#end.signal,
    );
    this.#ended = running.catch((error: unknown) => {
      if (!this.#isCut) this.#failure = error;
      this.#sign();
    });
  }

  /** Why it ended by itself; undefined while it works. */
  get failure(): unknown {
    return this.#failure;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Its inside; throws while it is still opening. */
  get inside(): OpenedOperator {
    if (this.#inside === undefined) throw new Error('the operator is not open yet');
    return this.#inside;
  }

  /** The hooks of tasks that are worked on, for people. */
  get going(): readonly string[] {
    const heads = this.#inside?.operator.runs.queues.flatMap((queue) => queue.heads) ?? [];
    return heads.filter(({ state }) => state === 'running').map(({ task }) => task.hook.name);
  }

  /** The hooks that run now, for people. */
  get executing(): readonly string[] {
    return this.#runs.executing;
  }

  /** How many objects are filtered outside the event loop. */
  get filtering(): number {
    return this.#inside?.operator.filtering ?? 0;
  }

  /** The run of the only hook that runs. */
  get onlyRun(): string | undefined {
    return this.#isCut ? undefined : this.#runs.onlyRun;
  }

  /** The hook of a run of this life that has not ended. */
  hookOf(run: string): string | undefined {
    return this.#isCut ? undefined : this.#runs.hookOf(run);
  }

  /** A run has had an effect; returns whether that was its last. */
  effectOf(run: string): boolean {
    const doom = this.#dooms.get(run);
    if (doom === undefined) return false;
    doom.left -= 1;
    if (doom.left > 0) return false;
    doom.end.abort();
    return true;
  }

  /** Whether a run may still act. */
  isLiving(run: string | undefined): boolean {
    return !this.#isCut && (run === undefined || this.#dooms.get(run)?.end.signal.aborted !== true);
  }

  /** Why its webhooks do not answer yet; undefined when they do, and without webhooks. */
  get webhookProblem(): string | undefined {
    return this.#inside?.webhooks?.readiness().find(({ isOk }) => !isOk)?.message;
  }

  /** Grows with everything that happens in it. */
  get signs(): number {
    return this.#signs;
  }

  /** Ends it in order. */
  async end(): Promise<void> {
    this.#end.abort();
    await this.#ended;
    this.#isCut = true;
    this.#options.driven.shut();
  }

  /** Ends it at this instant; resolves when nothing is left of it. */
  async kill(): Promise<void> {
    this.#isCut = true;
    this.#options.driven.shut();
    this.#options.spawner.child.kill('SIGKILL');
    this.#end.abort();
    await this.#ended;
  }

  #journal(): RunJournal {
    return {
      record: (event: RunEvent) => {
        if (event.type === 'started') currentRun.enterWith(event.run.id);
        if (event.type === 'ended') currentRun.enterWith(undefined);
        if (this.#isCut) return;
        this.#runs.record(event);
        this.#sign();
      },
    };
  }

  #around(runner: Runner): Runner {
    const { envOf, isSparing, recorder } = this.#options;
    const idle = isSparing ? new IdleRuns(recorder) : undefined;
    return {
      get problem() {
        return runner.problem;
      },
      readConfig: async (file, signal) => runner.readConfig(file, signal),
      close: async () => runner.close(),
      // The operator of a world stands still whenever its clock does.
      fence: () => {},
      execute: async (request, signal) => {
        const end = this.#runs.begin(request);
        const doom = this.#doomOf(request);
        try {
          if (doom?.left === 0) return killed(request);
          const both = doom === undefined ? signal : AbortSignal.any([signal, doom.end.signal]);
          const execute = async (): Promise<Execution> =>
            runner.execute({ ...request, env: envOf(request.runId) }, both);
          const execution = await (idle?.execute(request, execute) ?? execute());
          return doom?.end.signal.aborted === true ? killed(request) : execution;
        } finally {
          end();
          this.#sign();
        }
      },
    };
  }

  #doomOf({ hook, runId }: ExecuteRequest): Doom | undefined {
    const left = this.#options.doomed.get(hook.name);
    if (left === undefined) return undefined;
    this.#options.doomed.delete(hook.name);
    const doom = { left, end: new AbortController() };
    this.#dooms.set(runId, doom);
    this.#options.recorder.add({ type: 'disturbed', text: `kills hook ${hook.name} after ${left} effects` });
    return doom;
  }

  #sign(): void {
    this.#signs += 1;
    this.#options.onSign();
  }
}
