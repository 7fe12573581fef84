import { exponentialBackoff } from '../../lib/backoff.ts';
import { messageOf } from '../../lib/message-of.ts';
import { sleep } from '../../lib/sleep.ts';
import type { WorkerHello, WorkerTerms } from '../../hook/work-desk.ts';
import { helloAsk } from './asks.ts';
import type { Worker } from './session.ts';

/** What an operator has granted. */
export interface Greeted {
  readonly terms: WorkerTerms;
  /** When the hello was sent. */
  readonly sentAtMs: number;
  /** The digest that it said. */
  readonly digest: string;
}

/** Says hello until an operator takes this worker; undefined when `signal` aborts before. */
export async function sayHello(
  worker: Worker,
  self: Pick<WorkerHello, 'pool' | 'version'>,
  signal: AbortSignal,
): Promise<Greeted | undefined> {
  const { times, log } = worker;
  const backoff = exponentialBackoff({ ...times.retry, jitter: 0.2 });
  let said = '';
  while (!signal.aborted) {
    const told = await greet(worker, self, signal);
    if (typeof told !== 'string') return told;
    if (told !== '' && told !== said && !signal.aborted)
      log.warn({ reason: told }, 'no operator takes this worker yet');
    said = told === '' ? said : told;
    await sleep(backoff.next(), signal);
  }
  return undefined;
}

/** Why it was not taken; empty where that is said elsewhere. */
async function greet(
  { digest: currentDigest, held, reach, elapsed }: Worker,
  self: Pick<WorkerHello, 'pool' | 'version'>,
  signal: AbortSignal,
): Promise<Greeted | string> {
  let digest: string;
  try {
    digest = await currentDigest();
  } catch (error) {
    return messageOf(error);
  }
  const sentAtMs = elapsed();
  const reached = await reach.once(helloAsk({ ...self, hooks: digest, capacity: held.capacity }), signal);
  if (reached.type === 'ok') return { terms: reached.value, sentAtMs, digest };
  return reached.type === 'refused' ? `${reached.message} (${reached.status})` : '';
}
