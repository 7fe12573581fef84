import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import type { LineSenderOptions } from '../agent/line-sender.ts';
import type { Ask, Reached } from '../agent/reach.ts';
import { failure } from '../agent/result-of.ts';
import { contextsAsk, outputAsk, resultAsk } from './asks.ts';
import type { LiveRun } from './live-run.ts';
import type { WorkSession } from './session.ts';

/** What the operator says when a run is not this worker's, or has ended. */
const OVER = new Set([403, 404, 409, 410]);

/** The binding contexts of a run; undefined when it is over. */
export async function fetchContexts(session: WorkSession, run: LiveRun): Promise<readonly Uint8Array[] | undefined> {
  const told = await askOn(session, run, contextsAsk(session.terms.worker, run.handed));
  if (told?.type === 'refused') run.end(`its contexts were refused: ${told.message} (${told.status})`, true);
  return told?.type === 'ok' ? told.value : undefined;
}

/** What sends the lines of a run. */
export function sendLines(session: WorkSession, run: LiveRun): LineSenderOptions['send'] {
  return async (lines, signal) => {
    const told = await askOn(session, run, outputAsk(session.terms.worker, run.handed, lines), signal);
    if (signal.aborted && !run.over.aborted)
      session.log.warn({ ...run.held }, 'lines of a run were not taken for too long, they are left out');
    if (told?.type !== 'refused') return;
    const { message, status } = told;
    session.log.warn({ ...run.held, reason: `${message} (${status})` }, 'lines of a run were refused');
  };
}

/** Sends a result until it is taken; false when it was not, and will not be. */
export async function handIn(session: WorkSession, run: LiveRun, result: RemoteResult): Promise<boolean> {
  const { worker } = session.terms;
  const told = await askOn(session, run, resultAsk(worker, run.handed, result));
  if (told?.type !== 'refused') return told?.type === 'ok';
  const why = `the operator did not take its result: ${told.message} (${told.status})`;
  const instead = failure('output', `hook ${run.handed.run.hook}: ${why}`);
  const again = await askOn(session, run, resultAsk(worker, run.handed, instead));
  if (again?.type === 'refused') run.end(why, true);
  return again?.type === 'ok';
}

/** Asks until there is an answer that counts; undefined when the run is over, also by this answer, or `signal` aborts. */
async function askOn<T>(
  { reach, times }: WorkSession,
  run: LiveRun,
  ask: Ask<T>,
  signal = run.over,
): Promise<Exclude<Reached<T>, { readonly type: 'unreached' }> | undefined> {
  const backoff = exponentialBackoff(times.retry);
  while (!signal.aborted) {
    const reached = await reach.once(ask, signal);
    if (reached.type === 'ok') return reached;
    if (reached.type === 'refused' && !OVER.has(reached.status)) return reached;
    if (reached.type === 'refused') {
      run.end(`${reached.message} (${reached.status})`, true);
      return undefined;
    }
    await sleep(backoff.next(), signal);
  }
  return undefined;
}
