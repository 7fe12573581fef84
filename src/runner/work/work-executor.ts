/*
 * Runs hooks by workers, Pods that ask for runs. `execute` puts a run into the queue of its pool, and returns its end as
 * that of any run; workers come to `desk`, which the server puts in front of the network. A replica begins with `run` when
 * it leads; before it and after it each request of a worker is refused, and executions wait, or are not begun. What must
 * hold: a run is with one worker at a time; `execute` never rejects; and it resolves only when the hook can run no more.
 */

import { randomBytes } from 'node:crypto';
import type { Hook } from '../../hook/binding.ts';
import { workersRuleOf } from '../../hook/executor-rule.ts';
import type { WorkDesk } from '../../hook/work-desk.ts';
import { abortable } from '../../lib/abortable.ts';
import { aborted } from '../../lib/aborted.ts';
import { latch } from '../../lib/latch.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { ExecuteRequest, Execution } from '../executor.ts';
import { stopText } from '../failure.ts';
import { StartPace } from '../job/start-pace.ts';
import { notRun } from '../remote-result.ts';
import { KnownDigest } from './known-digest.ts';
import { openWorkDesk } from './open-work-desk.ts';
import { measurePools, poolViews } from './pool-views.ts';
import { leadsNoMore } from './work-execution.ts';
import { factsOfWork } from './work-facts.ts';
import { WorkFloor } from './work-floor.ts';
import type { PoolView, WorkExecutorOptions } from './work-options.ts';
import { WorkRun } from './work-run.ts';
import { SILENCE_MS } from './work-terms.ts';

const NAME_BYTES = 24;

/** Executes the runs of hooks with `executor: workers`; see above. */
export class WorkExecutor {
  /** Answers what workers ask. */
  readonly desk: WorkDesk;
  readonly #options: WorkExecutorOptions;
  readonly #elapsed: () => number;
  readonly #silenceMs: number;
  readonly #digest: KnownDigest;
  readonly #floor: WorkFloor;
  readonly #pace: StartPace;
  readonly #begun = latch();
  #isOver = false;
  #requests = 0;

  constructor(options: WorkExecutorOptions) {
    const { silenceMs = SILENCE_MS, elapsed = () => performance.now() } = options;
    this.#options = options;
    this.#elapsed = elapsed;
    this.#silenceMs = silenceMs;
    this.#pace = new StartPace(elapsed);
    this.#digest = new KnownDigest(options.digest, () => this.#floor.turnAll());
    const parts = { ...options, silenceMs, elapsed, digest: this.#digest };
    this.#floor = new WorkFloor(parts);
    this.desk = openWorkDesk({
      ...parts,
      floor: this.#floor,
      explainRefusal: options.explainRefusal ?? (() => undefined),
      randomName: options.randomName ?? (() => randomBytes(NAME_BYTES).toString('base64url')),
    });
    measurePools(options.metrics, () => this.pools());
  }

  /** Why no worker can be given a run at the moment; undefined when they can. */
  get problem(): string | undefined {
    return this.#digest.problem;
  }

  /** The pools that have workers or runs, sorted by name. */
  pools(): readonly PoolView[] {
    return poolViews(this.#floor, this.#digest.current);
  }

  /** Leads until `signal` aborts; called once. Returns when no worker can have a run of this replica any more. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    // The runs of an earlier leader end by the silence of their workers.
    this.#floor.begin(this.#options.isClean() ? 0 : this.#silenceMs);
    this.#begun.resolve();
    void this.#digest.look();
    await Promise.all([this.#floor.due.run(ended.signal), this.#end(signal, ended)]);
  }

  /** Runs a hook once, by a worker; never rejects, not even when `signal` ends the run. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution> {
    const { name } = request.hook;
    const rule = workersRuleOf(request.hook);
    if (rule === undefined) return notRun(name, 'it has no settings.executor: workers');
    // Of a caller who waits, any replica is asked, and only one has the workers.
    if (request.isAsked === true && !this.#floor.leads) return notRun(name, 'this replica does not lead');
    try {
      const execution = await this.#execute(request, rule.pool, signal);
      this.#pace.ended(name, execution, signal);
      return execution;
    } catch (cause) {
      return notRun(name, signal.aborted ? stopText(signal) : `no worker could run it: ${messageOf(cause)}`, cause);
    }
  }

  /**
   * Resolves when a worker of the pool of a hook is likely to take a run now, in the order of the calls; at once for a
   * hook that no workers execute, and when this replica leads no more. Rejects with the reason of `signal`.
   */
  async room(hook: Hook, signal: AbortSignal): Promise<void> {
    const pool = workersRuleOf(hook)?.pool;
    if (pool === undefined || this.#isOver) return;
    await this.#floor.rooms.wait(pool, signal, () => this.#floor.turn(pool));
  }

  async #end(signal: AbortSignal, ended: AbortController): Promise<void> {
    try {
      await aborted(signal);
      this.#isOver = true;
      await this.#floor.end();
    } finally {
      ended.abort();
    }
  }

  async #execute(request: ExecuteRequest, pool: string, signal: AbortSignal): Promise<Execution> {
    const { hook, runId, env, contexts, onOutput } = request;
    await abortable(this.#begun.promise, signal);
    await this.#pace.wait(hook.name, signal);
    const [hookHash] = await abortable(Promise.all([this.#options.hashOf(hook), this.#digest.look()]), signal);
    if (!this.#floor.leads) return leadsNoMore(hook.name);
    const { runs } = this.#floor;
    if (runs.find(runId) !== undefined) return notRun(hook.name, `a run with its id ${runId} has not ended`);
    this.#requests += 1;
    const run = new WorkRun({
      facts: factsOfWork(request, { ...this.#options, hookHash }),
      pool,
      env,
      contexts,
      onOutput,
      epoch: runs.findPast(runId)?.epoch ?? 0,
      askedMs: this.#elapsed(),
      order: this.#requests,
    });
    return this.#watchOver(run, signal);
  }

  async #watchOver(run: WorkRun, signal: AbortSignal): Promise<Execution> {
    const stop = (): void => this.#floor.stop(run, stopText(signal));
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.#floor.submit(run);
      return await run.ended;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
