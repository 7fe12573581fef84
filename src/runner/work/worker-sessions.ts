import type { DeskCaller } from '../../hook/remote-run.ts';
import type { WorkerTicket } from '../../hook/work-desk.ts';
import { refused, type Refused } from '../desk-refusal.ts';
import { UNKNOWN, type WorkerSession } from './worker-session.ts';

/** More workers than this say hello in vain. */
export const MAX_WORKERS = 2000;

const NONE: ReadonlySet<WorkerSession> = new Set();

/** The workers that are known, until what they ran has surely ended. */
export class WorkerSessions {
  readonly #byName = new Map<string, WorkerSession>();
  readonly #byPool = new Map<string, Set<WorkerSession>>();

  get size(): number {
    return this.#byName.size;
  }

  get all(): Iterable<WorkerSession> {
    return this.#byName.values();
  }

  get pools(): Iterable<string> {
    return this.#byPool.keys();
  }

  get(worker: string): WorkerSession | undefined {
    return this.#byName.get(worker);
  }

  /** The worker of a ticket, if its Pod is the one that said hello, and if it is present. */
  find({ worker, caller }: WorkerTicket): WorkerSession | Refused {
    const session = this.#byName.get(worker);
    if (session === undefined) return UNKNOWN;
    if (session.caller.podUid !== caller.podUid) return refused(403, `the worker is none of the Pod ${caller.pod}`);
    return session.state === 'present' ? session : UNKNOWN;
  }

  /** The one that is present of a Pod. */
  ofPod({ podUid }: DeskCaller): WorkerSession | undefined {
    return [...this.#byName.values()].find(({ caller, state }) => caller.podUid === podUid && state === 'present');
  }

  in(pool: string): Iterable<WorkerSession> {
    return this.#byPool.get(pool) ?? NONE;
  }

  /** Those in a pool that are present and have these hooks. */
  fitting(pool: string, hooks: string | undefined): readonly WorkerSession[] {
    return this.#present(pool).filter(({ hello }) => hello.hooks === hooks);
  }

  /** Those in a pool that are present and have other hooks. */
  outdated(pool: string, hooks: string | undefined): readonly WorkerSession[] {
    return this.#present(pool).filter(({ hello }) => hello.hooks !== hooks);
  }

  add(session: WorkerSession): void {
    const { pool } = session.hello;
    this.#byName.set(session.worker, session);
    this.#byPool.set(pool, (this.#byPool.get(pool) ?? new Set()).add(session));
  }

  drop(session: WorkerSession): void {
    const { pool } = session.hello;
    const others = this.#byPool.get(pool);
    this.#byName.delete(session.worker);
    others?.delete(session);
    if (others?.size === 0) this.#byPool.delete(pool);
  }

  #present(pool: string): readonly WorkerSession[] {
    return [...this.in(pool)].filter(({ state }) => state === 'present');
  }
}
