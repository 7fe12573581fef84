import { randomUUID } from 'node:crypto';
import { KubeError, UsageError } from '../../errors.ts';
import { lockTimes } from '../../kube/coordination/lock-times.ts';
import { heldText, type LockHolder } from '../../kube/coordination/lock-words.ts';
import { Lock, type LockAnswer } from '../../kube/coordination/lock.ts';
import { printable } from '../../lib/printable.ts';
import { sleep } from '../../lib/sleep.ts';
import { messageOf } from '../../lib/message-of.ts';
import { durationFlag, lockName, type LockFlags, type LockIo } from './lock-io.ts';
import { runUnder } from './run-under.ts';

/** What `hooklet lock` is asked to do. */
export interface HoldRequest {
  readonly name: string;
  readonly command: readonly string[];
  readonly flags: Pick<LockFlags, 'wait' | 'for'>;
}

/** As a hook says `later`. */
const EXIT_NOT_FREE = 75;
const HOUR_MS = 3_600_000;
const PAUSE_MS = 1000;
const WAIT = { minMs: 0, maxMs: 24 * HOUR_MS, expected: 'a duration from 0 to 24h, such as 1m' };
const SILENCE = { minMs: 3000, maxMs: HOUR_MS, expected: 'a duration from 3s to 1h, such as 30s' };
const NEVER = new AbortController().signal;

/** `hooklet lock`: runs a command while it holds the lock; resolves to the exit code. */
export async function holdLock({ name, command, flags }: HoldRequest, io: LockIo): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) {
    throw new UsageError(`lock: got no command, expected one after --, such as hooklet lock ${name} -- ./backup.sh`);
  }
  const waitMs = durationFlag('--wait', flags.wait ?? '1m', WAIT);
  const times = lockTimes(durationFlag('--for', flags.for ?? '30s', SILENCE));
  const { client, namespace, host } = io;
  let renewed = (): void => {};
  const lock = new Lock({ client, namespace, name: lockName(name), times, onRenewed: () => renewed() });
  const answer = await taken(lock, { holder: `${host}_${randomUUID()}`, waitMs }, io);
  switch (answer.type) {
    case 'held':
      return EXIT_NOT_FREE;
    case 'foreign':
      return complain(answer.message, io);
    case 'taken': {
      const { held } = answer;
      const end = new AbortController();
      const renewing = held.renew(end.signal);
      const hold = {
        lost: held.lost,
        fenceInMs: () => held.fenceInMs,
        onRenewed: (listener: () => void) => void (renewed = listener),
      };
      const exitCode = await runUnder({ program, args, killAfterMs: times.renewMs }, hold, io);
      end.abort();
      await renewing;
      await held.release();
      return held.lost.aborted ? complain(`${messageOf(held.lost.reason)}, the command was ended`, io) : exitCode;
    }
  }
}

interface Wish {
  readonly holder: string;
  readonly waitMs: number;
}

/** Waits for the lock, and says whom it waits for once for each holder. */
async function taken(lock: Lock, { holder, waitMs }: Wish, io: LockIo): Promise<LockAnswer> {
  const endMs = performance.now() + waitMs;
  let told = '';
  for (;;) {
    const answer = await taking(lock, holder, performance.now() >= endMs);
    const isLast = performance.now() >= endMs;
    if (answer.type !== 'held') return answer;
    if (isLast || answer.by.holder !== told) tell(lock.key, answer.by, isLast, io);
    if (isLast) return answer;
    told = answer.by.holder;
    await sleep(Math.min(PAUSE_MS, Math.max(0, endMs - performance.now())), NEVER);
  }
}

/** An API server that is not there may be there before the wait is over. */
async function taking(lock: Lock, holder: string, isLast: boolean): Promise<LockAnswer> {
  try {
    return await lock.take(holder, NEVER);
  } catch (error) {
    const isPassing = error instanceof KubeError && error.isRetryable && error.status !== 409;
    if (!isPassing || isLast) throw error;
    return { type: 'held', by: { holder: `nobody knows whom, since ${error.summary}` } };
  }
}

function tell(key: string, by: LockHolder, isLast: boolean, { stderr }: LockIo): void {
  stderr(`hooklet: ${printable(heldText(key, by, Date.now()))}${isLast ? '' : ', waiting'}\n`);
}

function complain(message: string, { stderr }: LockIo): number {
  stderr(`hooklet: ${printable(message)}\n`);
  return 1;
}
