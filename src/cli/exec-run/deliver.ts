import { sleep } from '../../lib/sleep.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import { FATE, resultAsk, STANDING } from './asks.ts';
import type { Session, Told } from './session.ts';
import type { AgentTimes } from './times.ts';

/** What became of a result. */
export type Delivery =
  /** With what was sent. */
  | { readonly type: 'accepted'; readonly result: RemoteResult }
  /** Nobody waits for it: the run has ended. */
  | { readonly type: 'ended' }
  | { readonly type: 'lost' }
  | { readonly type: 'failed'; readonly why: string };

export interface DeliveryOptions {
  readonly session: Session;
  readonly times: Pick<AgentTimes, 'resultLimitMs' | 'fateLimitMs' | 'retry'>;
  /** What is sent in place of a result that the operator does not take, with why. */
  readonly instead: (why: string) => RemoteResult;
  readonly signal: AbortSignal;
}

const ENDED = 410;
const NOT_OURS = 403;
const SMALL_BYTES = 64 * 1024;

/** Sends a result until it is accepted, to each leader that there is meanwhile. */
export async function deliver(result: RemoteResult, options: DeliveryOptions): Promise<Delivery> {
  const sent = await send(result, options);
  if (sent.type !== 'refused') return sent;
  const { instead } = options;
  const again = await send(instead(`the operator did not take its result: ${sent.message}`), options);
  return again.type === 'refused' ? { type: 'failed', why: `its result was refused: ${again.message}` } : again;
}

type Refused = Extract<Told<undefined>, { readonly type: 'refused' }>;

async function send(result: RemoteResult, { session, times, signal }: DeliveryOptions): Promise<Delivery | Refused> {
  const asking = { limitMs: times.resultLimitMs, signal };
  const ask = resultAsk(result);
  if (ask.body.reduce((sum, { byteLength }) => sum + byteLength, 0) > SMALL_BYTES) {
    // A refusal may come before such a body is read, and then the connection may end before this end has seen it.
    await session.askOn(STANDING, asking);
  }
  const told = await session.askOn(ask, asking);
  switch (told.type) {
    case 'ok':
      return { type: 'accepted', result };
    case 'lost':
      return told;
    case 'unreached':
      return { type: 'failed', why: `its result could not be sent: ${told.why}` };
    case 'refused':
      if (told.status === ENDED) return { type: 'ended' };
      if (told.status !== NOT_OURS) return told;
      session.lose(`${told.message} (${told.status})`);
      return { type: 'lost' };
  }
}

/**
 * Waits until a run whose result was accepted has ended; a leader that comes meanwhile gets the result too. Ends as well
 * at the limit, and when `signal` aborts.
 */
export async function awaitEnd(result: RemoteResult, options: DeliveryOptions): Promise<void> {
  const { session, times, signal } = options;
  const endAt = performance.now() + times.fateLimitMs;
  for (;;) {
    const leftMs = endAt - performance.now();
    if (leftMs <= 0 || signal.aborted) return;
    const told = await session.ask(FATE, { limitMs: leftMs, signal });
    if (told.type === 'ok' ? told.value === 'ended' : told.type !== 'renewed') return;
    if (told.type === 'renewed' && (await deliver(result, options)).type !== 'accepted') return;
    // Also for an operator that does not hold the request as long as it is asked to.
    await sleep(Math.min(times.retry.initialMs, leftMs), signal);
  }
}
