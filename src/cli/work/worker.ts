import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import type { HealthReport } from '../../server/health.ts';
import { Contact } from './contact.ts';
import { sayHello } from './hello.ts';
import { runSession } from './run-session.ts';
import type { Worker } from './session.ts';

export interface WorkingOptions {
  readonly pool: string;
  readonly version: string;
  readonly drainLimitMs: number;
  /** Whether an operator answers, kept up to date. */
  readonly standing: Standing;
}

/** Whether an operator answers a worker. */
export class Standing {
  #contact: Contact | undefined;

  set(contact: Contact | undefined): void {
    this.#contact = contact;
  }

  isConnected(nowMs: number): boolean {
    return this.#contact?.isLost(nowMs) === false;
  }

  /** The checks of `/readyz`. */
  health(nowMs: number, problem: string | undefined): HealthReport {
    const isOk = this.isConnected(nowMs);
    const message = isOk ? '' : 'no operator that leads answers this worker';
    const spawner = problem === undefined ? [] : [{ name: 'spawner', isOk: false, message: problem }];
    return { checks: [{ name: 'operator', isOk, message }, ...spawner] };
  }
}

/** Works for whichever operator leads, one session after the other, until `stop` aborts and its runs have ended. */
export async function runWorker(worker: Worker, options: WorkingOptions, stop: AbortSignal): Promise<void> {
  const { pool, version, drainLimitMs, standing } = options;
  const { log, reach, elapsed, times } = worker;
  const backoff = exponentialBackoff(times.retry);
  while (!stop.aborted) {
    const greeted = await sayHello(worker, { pool, version }, stop);
    if (greeted === undefined) return;
    const { terms, sentAtMs, digest } = greeted;
    log.info({ operator: reach.where, worker: terms.worker, pool, hooks: digest }, 'connected to the operator');
    const contact = new Contact(terms, sentAtMs);
    standing.set(contact);
    await runSession(worker, { greeted, contact, stop, drainLimitMs });
    standing.set(undefined);
    if (elapsed() - sentAtMs >= terms.silenceMs) backoff.reset();
    await sleep(backoff.next(), stop);
  }
}
