/*
 * A session of a worker, from the hello that was answered until the operator does not know it any more or it leaves. It
 * works; then it drains, because the process is to end or its hooks have changed: it claims no more and finishes what it
 * has, after SIGTERM within a limit. At the end all its hooks have ended. What must hold: a session that is lost has ended
 * its hooks before the next one says hello, and whatever it was silent for too long for, too.
 */

import { aborted } from '../../lib/aborted.ts';
import { abortable } from '../../lib/abortable.ts';
import { messageOf } from '../../lib/message-of.ts';
import { runAll } from '../../lib/run-all.ts';
import { sleep } from '../../lib/sleep.ts';
import { leaveAsk } from './asks.ts';
import { Beats } from './beats.ts';
import type { Contact } from './contact.ts';
import type { Greeted } from './hello.ts';
import { pollEnds, pollRuns } from './polls.ts';
import type { Worker, WorkSession } from './session.ts';

export interface SessionOptions {
  readonly greeted: Greeted;
  readonly contact: Contact;
  /** Aborts when the process is to end. */
  readonly stop: AbortSignal;
  readonly drainLimitMs: number;
}

const NEVER = new AbortController().signal;

/** Works until the session is over; see above. */
export async function runSession(worker: Worker, options: SessionOptions): Promise<void> {
  const { greeted, contact, stop } = options;
  const { held, log } = worker;
  const lost = new AbortController();
  const changed = new AbortController();
  const over = new AbortController();
  const lose = (why: string): void => lost.abort(new Error(why));
  const { terms, digest: saidDigest } = greeted;
  const session: WorkSession = { ...worker, terms, saidDigest, contact, lost: lost.signal, lose, beats: new Beats() };
  const drain = AbortSignal.any([stop, changed.signal]);
  const parts = runAll(
    [
      async (signal) => session.beats.run(session, signal),
      async (signal) => pollEnds(session, signal),
      async (signal) => watchSilence(session, signal),
      async (signal) => watchHooks(session, changed, signal),
      async (signal) => pollRuns(session, AbortSignal.any([signal, drain])),
    ],
    AbortSignal.any([over.signal, lost.signal]),
  ).finally(() => lose('it has ended'));
  // It is awaited at the end.
  parts.catch(() => {});
  await aborted(AbortSignal.any([drain, lost.signal]));
  await drained(session, options);
  held.endAll(lost.signal.aborted ? messageOf(lost.signal.reason) : 'this worker ends');
  await held.until(({ size }) => size === 0, NEVER);
  if (lost.signal.aborted)
    log.warn({ reason: messageOf(lost.signal.reason) }, 'the operator does not know this worker');
  else await leave(session);
  over.abort();
  await parts;
}

/** Waits for the runs of the session, after SIGTERM until the limit, unless it is lost. */
async function drained({ held, lost, log }: WorkSession, { stop, drainLimitMs }: SessionOptions): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, lost]);
  const limit = aborted(AbortSignal.any([stop, either])).then(async () => sleep(drainLimitMs, either));
  const isLate = limit.then(() => !either.aborted);
  const empty = held.until(({ size }) => size === 0, either).then(() => false);
  const wasLate = await Promise.race([isLate, empty]);
  over.abort();
  await Promise.all([isLate, empty]);
  if (wasLate) log.warn({ runs: held.size, drainLimitMs }, 'runs are ended, as they have not within --drain-limit');
}

async function leave({ reach, terms, times, log }: WorkSession): Promise<void> {
  const reached = await reach.until(leaveAsk(terms.worker), { limitMs: times.leaveLimitMs, signal: NEVER });
  if (reached.type === 'ok') log.info({}, 'this worker has left the operator');
  else log.warn({ reason: reached.type === 'refused' ? reached.message : reached.why }, 'this worker could not leave');
}

/** Ends hooks when the operator may soon hand them to others. */
async function watchSilence(session: WorkSession, signal: AbortSignal): Promise<void> {
  const { contact, held, log, reach, elapsed } = session;
  while (!signal.aborted) {
    const leftMs = contact.leftMs(elapsed());
    if (leftMs > 0) {
      await sleep(leftMs, signal);
      continue;
    }
    const ended = held.endAll('this worker lost contact with the operator', false);
    log.warn({ runs: ended }, 'lost contact with the operator, hooks that run are ended');
    await abortable(contact.next(), signal).catch(() => {});
    if (!signal.aborted) log.info({ operator: reach.where }, 'the operator answers again');
  }
}

/** Ends the session when its hooks are others than it said. */
async function watchHooks(session: WorkSession, changed: AbortController, signal: AbortSignal): Promise<void> {
  const { digest, saidDigest, terms, log } = session;
  let problem = '';
  while (!signal.aborted && !changed.signal.aborted) {
    await sleep(terms.beatMs, signal);
    try {
      if ((await digest()) === saidDigest) continue;
      log.info({}, 'the hooks have changed: this worker finishes its runs, and says hello again');
      changed.abort();
    } catch (error) {
      if (messageOf(error) !== problem) log.warn({ err: error }, 'whether the hooks have changed cannot be told');
      problem = messageOf(error);
    }
  }
}
