/*
 * The runner of a worker, which lives on from run to run, so that warm hooks stay loaded. What a runner cannot change is
 * what it is opened with: whether exit codes are plain, how long background jobs and ends may take, and the hooks that
 * its warm processes have loaded. When a run needs another, that one is the current from then on, and the one before
 * closes with its last run.
 */

import type { Fence } from '../../lib/fence.ts';
import { openRunner, type RunnerSettings } from '../../operator/runs/open-runner.ts';
import type { ExecuteRequest, Execution } from '../../runner/executor.ts';
import type { Runner } from '../../runner/runner.ts';

/** What a runner is opened with. */
export interface RunnerKind {
  readonly plainExitCodes: boolean;
  readonly backgroundLimitMs?: number | undefined;
  readonly killAfterMs: number;
  /** Of the hooks. */
  readonly digest: string;
}

interface Opened {
  readonly key: string;
  readonly runner: Runner;
  readonly ends: AsyncDisposableStack;
  runs: number;
}

/** See above. */
export class Runners {
  readonly #settings: Omit<RunnerSettings, keyof RunnerKind>;
  readonly #open = new Set<Opened>();
  readonly #closing = new Set<Promise<void>>();
  #current: Opened | undefined;

  constructor(settings: Omit<RunnerSettings, keyof RunnerKind>) {
    this.#settings = settings;
  }

  /** How many runs there are; the fence stands only while there are any. */
  get runs(): number {
    return [...this.#open].reduce((sum, { runs }) => sum + runs, 0);
  }

  /** Runs a hook; `fence` is called before it starts, to set the deadline. */
  async execute(
    kind: RunnerKind,
    request: ExecuteRequest,
    signal: AbortSignal,
    fence: () => number,
  ): Promise<Execution> {
    const opened = this.#runnerFor(kind);
    opened.runs += 1;
    try {
      this.fence(fence());
      return await opened.runner.execute(request, signal);
    } finally {
      opened.runs -= 1;
      if (this.runs === 0) this.fence();
      if (opened !== this.#current && opened.runs === 0) this.#close(opened);
    }
  }

  readonly fence: Fence = (leftMs) => {
    for (const { runner } of this.#open) runner.fence(leftMs);
  };

  /** Why no hook can be started at the moment. */
  get problem(): string | undefined {
    return this.#current?.runner.problem;
  }

  async close(): Promise<void> {
    for (const opened of this.#open) this.#close(opened);
    await Promise.all(this.#closing);
  }

  #runnerFor(kind: RunnerKind): Opened {
    const key = JSON.stringify(kind);
    const before = this.#current;
    if (before?.key === key) return before;
    const ends = new AsyncDisposableStack();
    const { backgroundLimitMs, plainExitCodes, killAfterMs } = kind;
    const background = backgroundLimitMs === undefined ? {} : { backgroundLimitMs };
    const runner = openRunner({ ...this.#settings, plainExitCodes, killAfterMs, ...background }, ends);
    const opened: Opened = { key, runner, ends, runs: 0 };
    this.#open.add(opened);
    this.#current = opened;
    if (before?.runs === 0) this.#close(before);
    return opened;
  }

  #close(opened: Opened): void {
    if (!this.#open.delete(opened)) return;
    if (this.#current === opened) this.#current = undefined;
    const closing = opened.ends.disposeAsync().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
