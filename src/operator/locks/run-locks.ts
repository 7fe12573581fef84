/*
 * The locks of hooks. The operator opens one `RunLocks`, and `runInUnit` has `during` around each run whose binding has a
 * lock. A run that does not get it ends as `later`, without a start of its hook; its task waits in its queue, and is
 * hastened when the lock is free: at once after a release in this process, else when `run` sees it, which looks every
 * 2 s while tasks wait. One task is hastened at a time, the one that waits longest, because one alone can get the lock.
 * What must hold: as long as a hook runs, its run holds the Lease of its lock. When the Lease cannot be renewed in time,
 * or another holder has it, the hook is ended, and its run has failed. This process cannot notice that while it stands
 * still, as by SIGSTOP: then the fence, which another process keeps, ends the hook.
 */

import type { HookLock } from '../../hook/binding.ts';
import type { HeldLock } from '../../kube/coordination/held-lock.ts';
import { heldText, type LockHolder } from '../../kube/coordination/lock-words.ts';
import { Lock, type LockOptions } from '../../kube/coordination/lock.ts';
import { Bell } from '../../lib/bell.ts';
import type { Fence } from '../../lib/fence.ts';
import { sleep } from '../../lib/sleep.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Metrics } from '../../metrics.ts';
import type { Run, RunOutcome } from '../../run/run.ts';
import { lockedOutRun, lostRun, refusedRun, untakenRun } from './lock-outcomes.ts';
import type { WaitingTasks } from './waiting-tasks.ts';

export interface RunLocksOptions extends Pick<LockOptions, 'client' | 'namespace' | 'times'> {
  /** The Pod or machine, with which the text of each holder begins. */
  readonly host: string;
  readonly waiting: WaitingTasks;
  readonly fence: Fence;
  readonly metrics: Pick<Metrics, 'lockWaitSeconds' | 'locksHeld' | 'locksLost'>;
}

/** Does work that ends when `lost` aborts; `hookEnded` is called when its hook ends, before the output is read. */
export type LockedWork = (lost: AbortSignal, hookEnded: () => void) => Promise<RunOutcome>;

const LOOK_MS = 2000;

/** The locks of hooks; see above. */
export class RunLocks {
  readonly #options: RunLocksOptions;
  readonly #locks = new Map<string, Lock>();
  readonly #bell = new Bell();
  readonly #held = new Set<HeldLock>();
  /** Whether a task that did not get its lock may be on its way to its place in a queue. */
  #isExpecting = false;

  constructor(options: RunLocksOptions) {
    this.#options = options;
  }

  /** Does the work of a run while it holds the lock; never rejects unless the work does. */
  async during(run: Run, lock: HookLock, signal: AbortSignal, work: LockedWork): Promise<RunOutcome> {
    const { host } = this.#options;
    const one = this.#lock(lock);
    const answer = await one
      .take(`${host}_${run.id}`, signal)
      .catch((error: unknown) => ({ type: 'failed', error }) as const);
    switch (answer.type) {
      case 'taken':
        return this.#under(run, one.key, answer.held, work);
      case 'held':
        this.#isExpecting = true;
        this.#bell.ring();
        return this.#lockedOut(lock, one.key, answer.by);
      case 'foreign':
        return refusedRun(answer.message);
      case 'failed':
        return untakenRun(one.key, answer.error);
      default:
        return unreachable(answer);
    }
  }

  /** Hastens tasks whose lock is free, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    while (!signal.aborted) {
      if (!this.#isExpecting && this.#options.waiting.locks().length === 0) await this.#bell.rung();
      this.#isExpecting = false;
      await sleep(LOOK_MS, signal);
      for (const key of this.#options.waiting.locks()) await this.#look(key, signal);
    }
  }

  async #look(key: string, signal: AbortSignal): Promise<void> {
    try {
      const holder = await this.#locks.get(key)?.look(signal);
      if (holder === undefined && !signal.aborted) this.#options.waiting.hasten(key);
    } catch {
      // The API server may answer the next time.
    }
  }

  async #under(run: Run, key: string, held: HeldLock, work: LockedWork): Promise<RunOutcome> {
    const { metrics, waiting } = this.#options;
    const labels = { hook: run.task.hook.name, lock: key };
    metrics.lockWaitSeconds.observe(labels, Math.max(0, Date.now() - run.task.sinceMs) / 1000);
    this.#held.add(held);
    this.#refence();
    this.#count();
    const end = new AbortController();
    const renewing = held.renew(end.signal);
    try {
      const outcome = await work(held.lost, () => this.#hookEnded(held));
      held.check();
      if (!held.lost.aborted) return outcome;
      metrics.locksLost.inc(labels);
      return lostRun(held.lost.reason, outcome);
    } finally {
      end.abort();
      this.#unfence(held);
      await renewing;
      await held.release();
      this.#count();
      waiting.hasten(key);
    }
  }

  /** Nothing works under a lost lock once its hook has ended, so that its fence must kill nothing. */
  #hookEnded(held: HeldLock): void {
    held.check();
    if (held.lost.aborted) this.#unfence(held);
  }

  #unfence(held: HeldLock): void {
    this.#held.delete(held);
    this.#refence();
  }

  #count(): void {
    this.#options.metrics.locksHeld.set({}, this.#held.size);
  }

  /** The lock that runs out first counts, as what is killed is all that runs. */
  readonly #refence = (): void => {
    const lefts = [...this.#held].map(({ fenceInMs }) => fenceInMs);
    this.#options.fence(lefts.length === 0 ? undefined : Math.min(...lefts));
  };

  #lockedOut({ waitMs }: HookLock, key: string, by: LockHolder): RunOutcome {
    const message = heldText(key, by, Date.now());
    return lockedOutRun({ lock: key, message, ...(waitMs !== undefined && { limitMs: waitMs }) });
  }

  #lock({ name, namespace = this.#options.namespace }: HookLock): Lock {
    const key = `${namespace}/${name}`;
    const known = this.#locks.get(key);
    if (known !== undefined) return known;
    const lock = new Lock({ ...this.#options, namespace, name, onRenewed: this.#refence });
    this.#locks.set(key, lock);
    return lock;
  }
}
