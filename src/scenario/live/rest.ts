/*
 * Waits until a world is at rest. A world is `busy` while something outside the virtual clock is under way: a hook runs, a
 * request is open, a file is read, hooks are loaded. It is `waiting` while a run goes on that nothing real is under way
 * for: it can only wait for a time, such as between two attempts at a patch, so the clock moves to the next timer.
 * Anything else is rest, once some turns of the event loop have passed in which nothing happened: whatever is passed on in
 * this process alone takes part of a turn.
 */

import type { Bell } from '../../lib/bell.ts';
import { outerNow, setOuterTimeout, clearOuterTimeout } from '../../lib/outer-time.ts';
import { nextTurn } from '../../lib/turn.ts';
import { ScenarioError } from '../../errors.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What is under way; `what` is for people. */
export interface Activity {
  readonly type: 'busy' | 'waiting' | 'idle';
  readonly what: string;
  /** Grows with everything that happens. */
  readonly count: number;
}

export interface RestParts {
  readonly clock: VirtualClock;
  readonly look: () => Activity;
  /** Rung when something has happened. */
  readonly bell: Bell;
  /** When to give up, by `outerNow`. */
  readonly limitAtMs: number;
  /** Throws when the world is broken. */
  readonly check: () => void;
}

const QUIET_TURNS = 4;
const PASSING_TURNS = 3;
/** What rings no bell is looked at again after this time. */
const LOOK_MS = 3;
const PENDING = /Req|REQUEST|ConnectWrap|WriteWrap|ShutdownWrap/;

/** Resolves when the world is at rest; rejects with a `ScenarioError` that says what is under way at the limit. */
export async function rest({ clock, look, bell, limitAtMs, check }: RestParts): Promise<void> {
  let quiet = 0;
  let count = -1;
  while (quiet < QUIET_TURNS) {
    await nextTurn();
    check();
    const activity = look();
    const pending = activity.type === 'busy' ? [] : pendingRequests();
    if (outerNow() > limitAtMs) throw new ScenarioError(`the world does not come to rest: ${activity.what}`);
    if (activity.type === 'busy' || pending.length > 0) {
      quiet = 0;
      await sign(bell);
    } else if (activity.count !== count) {
      quiet = 0;
      count = activity.count;
    } else if (activity.type === 'waiting' && quiet === QUIET_TURNS - 1) {
      quiet = 0;
      await passTime(clock, bell);
    } else quiet += 1;
  }
}

/** Lets virtual time pass until `work` has ended; rejects with a `ScenarioError` at the limit. */
export async function passUntil(
  work: Promise<void>,
  { clock, bell, limitAtMs }: Pick<RestParts, 'clock' | 'bell' | 'limitAtMs'>,
): Promise<void> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
    bell.ring();
  };
  work.then(over, over);
  for (let turn = 0; !isOver; turn += 1) {
    if (outerNow() > limitAtMs) throw new ScenarioError('the operator does not end');
    if (turn % PASSING_TURNS !== 0 || pendingRequests().length > 0) await nextTurn();
    else if (clock.nextDueMs === undefined) await sign(bell);
    else clock.moveTo(clock.nextDueMs);
  }
  await work;
}

function pendingRequests(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => PENDING.test(name));
}

async function passTime(clock: VirtualClock, bell: Bell): Promise<void> {
  const { nextDueMs } = clock;
  if (nextDueMs === undefined) await sign(bell);
  else clock.moveTo(nextDueMs);
}

/** Something happened, or a short time has passed. */
async function sign(bell: Bell): Promise<void> {
  const timer = setOuterTimeout(bell.ring, LOOK_MS);
  await bell.rung();
  clearOuterTimeout(timer);
}
