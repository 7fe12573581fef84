import { isOutdated, leaseStore, type Lease } from '../../kube/coordination/lease.ts';
import { heldText, holderOf } from '../../kube/coordination/lock-words.ts';
import { LOCK_DURATION_MS } from '../../kube/coordination/lock-times.ts';
import { durationText } from '../../lib/duration-text.ts';
import { printable } from '../../lib/printable.ts';
import { sleep } from '../../lib/sleep.ts';
import { lockName, type LockFlags, type LockIo } from './lock-io.ts';
import { readLock } from './show-locks.ts';

const LIMIT = { signal: new AbortController().signal, timeoutMs: 10_000 };
const PAUSE_MS = 1000;
const TRIES = 5;
const MAX_WATCH_MS = 3_600_000;

/**
 * `hooklet lock release`: shows who holds a lock, and with `yes` releases it. Resolves to the exit code.
 *
 * Without `force` it first watches the lock for its duration, the time in which a holder that lives has to renew it, and
 * refuses if that happens. With `force` the Lease is taken from its holder at once, in a name that nobody uses, for one
 * duration: in that time the former holder sees it and ends what it does, and only then can others take the lock.
 */
export async function releaseLock(given: string, { yes, force }: LockFlags, io: LockIo): Promise<number> {
  const { key, lease } = await readLock(given, io);
  if (lease === undefined || lease.holder === '') {
    io.stdout(`the lock ${key} is free\n`);
    return 0;
  }
  io.stdout(`${printable(heldText(key, holderOf(lease), Date.now()))}\n`);
  if (yes !== true) {
    io.stdout('nothing is changed; add --yes to release it\n');
    return 0;
  }
  const durationMs = lease.durationMs || LOCK_DURATION_MS;
  if (force === true) {
    await writeOver(given, lease, { holder: `${io.host}_released-by-force`, durationMs }, io);
    io.stdout(`released: its holder ends what it does, and others take it within ${durationText(durationMs)}\n`);
    return 0;
  }
  const last = await silentLease(given, lease, Math.min(durationMs, MAX_WATCH_MS), io);
  if (last === undefined) {
    io.stderr(
      'hooklet: its holder lives: the lock was renewed or released meanwhile, and nothing is changed; end the holder, or add --force\n',
    );
    return 1;
  }
  await write(given, last, { holder: '', durationMs: 1000 }, io);
  io.stdout('released\n');
  return 0;
}

/** The Lease when nobody has changed it for a time; undefined when somebody has. */
async function silentLease(given: string, first: Lease, forMs: number, io: LockIo): Promise<Lease | undefined> {
  io.stdout(`looking for ${durationText(forMs)} whether its holder renews it\n`);
  const endMs = performance.now() + forMs;
  for (;;) {
    const isLast = performance.now() >= endMs;
    const { lease } = await readLock(given, io);
    if (lease?.fingerprint !== first.fingerprint) return undefined;
    if (isLast) return lease;
    await sleep(Math.min(PAUSE_MS, Math.max(0, endMs - performance.now())), LIMIT.signal);
  }
}

/** As `write`, also where the holder renews at the same moment. */
async function writeOver(given: string, first: Lease, claim: Claim, io: LockIo): Promise<void> {
  for (let [before, tries]: [Lease | undefined, number] = [first, 1]; ; tries += 1) {
    try {
      await write(given, before, claim, io);
      return;
    } catch (error) {
      if (tries === TRIES || !isOutdated(error, before)) throw error;
      before = (await readLock(given, io)).lease;
    }
  }
}

interface Claim {
  readonly holder: string;
  readonly durationMs: number;
}

async function write(
  given: string,
  before: Lease | undefined,
  claim: Claim,
  { client, namespace }: LockIo,
): Promise<void> {
  await leaseStore({ client, namespace, name: lockName(given) }).write({ ...claim, nowMs: Date.now() }, before, LIMIT);
}
