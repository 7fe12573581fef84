/*
 * The long requests of a session, one after the other until it is over: one for runs to end is always out, one for runs
 * is out while places are free. An answer that is no use is followed by a pause, also where a server does not hold them.
 */

import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import type { HandedRun } from '../../hook/work-desk.ts';
import { claimAsk, endsAsk, type Handed } from './asks.ts';
import { carryOut } from './carry-out.ts';
import { LiveRun } from './live-run.ts';
import type { WorkSession } from './session.ts';

/** The least time from one answer without anything to the next request. */
const EMPTY_PAUSE_MS = 100;

/** Ends what is to be ended, as soon as the operator says so. */
export async function pollEnds(session: WorkSession, signal: AbortSignal): Promise<void> {
  const { reach, terms, held, times } = session;
  const backoff = exponentialBackoff(times.retry);
  while (!signal.aborted) {
    const reached = await reach.once(endsAsk(terms.worker), signal);
    if (reached.type === 'ok') {
      backoff.reset();
      held.end(reached.value);
    }
    // A beat tells whether the worker is known at all.
    if (reached.type === 'refused') void session.beats.confirm(signal);
    const isUseful = reached.type === 'ok' && reached.value.length > 0;
    if (!isUseful) await sleep(reached.type === 'ok' ? EMPTY_PAUSE_MS : backoff.next(), signal);
  }
}

/** Gets runs while places are free, and begins each at once; resolves after `signal` has aborted and all have ended. */
export async function pollRuns(session: WorkSession, signal: AbortSignal): Promise<void> {
  const { reach, terms, held, times, condition } = session;
  const backoff = exponentialBackoff(times.retry);
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    await held.until(({ free }) => free > 0, signal);
    await sleep(condition.pauseMs, signal);
    if (signal.aborted) break;
    const asked = condition.placesOf(held.free);
    const reached = await reach.once(claimAsk(terms.worker, asked), signal);
    // What came at the last moment is not named in a beat, so it is handed out again.
    if (signal.aborted) break;
    if (reached.type === 'ok') {
      backoff.reset();
      for (const run of begun(session, reached.value, asked)) {
        const ended = run.finally(() => running.delete(ended));
        running.add(ended);
      }
    }
    if (reached.type === 'refused') void session.beats.confirm(signal);
    const isUseful = reached.type === 'ok' && reached.value.runs.length > 0;
    if (!isUseful) await sleep(reached.type === 'ok' ? EMPTY_PAUSE_MS : backoff.next(), signal);
  }
  await Promise.all(running);
}

/** Takes no more runs than were asked for: the others are not named in a beat, so they are handed out again. */
function begun(session: WorkSession, { runs, atMs }: Handed, asked: number): readonly Promise<void>[] {
  const { log, contact, beats, elapsed } = session;
  if (runs.length > asked)
    log.warn({ asked, got: runs.length }, 'more runs came than were asked for, the rest is left');
  // What was told meanwhile may be that these runs did not arrive.
  const isSure = beats.isQuietSince(atMs) && !contact.isSilent(elapsed());
  return runs.slice(0, asked).map(async (handed) => begin(session, handed, isSure));
}

async function begin(session: WorkSession, handed: HandedRun, isSure: boolean): Promise<void> {
  const { held, beats, lost } = session;
  const run = new LiveRun(handed);
  held.add(run);
  try {
    await carryOut(session, run, isSure);
  } finally {
    held.delete(run);
    // A run without a result counts as ended once a beat does not name it.
    if (run.over.aborted) void beats.confirm(lost);
  }
}
