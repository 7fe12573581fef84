import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Sandbox, startSandbox } from '@hooklet/sandbox';
import { LeaseLostError } from '../../../src/errors.ts';
import { LeaderElection } from '../../../src/kube/coordination/leader-election.ts';
import { inProcessClient, type InProcessClient } from '../../support/in-process-client.ts';
import { recordingLogger, type LogLine } from '../../support/recording-logger.ts';
import { withinVirtual } from '../../support/within.ts';

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/hooklet';
const SECOND = 1000;
const HOUR = 3_600_000;
const times = { leaseDurationMs: 15 * SECOND, renewDeadlineMs: 10 * SECOND, retryPeriodMs: 2 * SECOND };

/** One replica; it is "at work" while it does what only a leader may do. */
interface Candidate {
  readonly election: LeaderElection;
  readonly client: InProcessClient;
  readonly lines: readonly LogLine[];
  /** Whether it does what only a leader may do. */
  readonly isAtWork: () => boolean;
  /** Stops gracefully. */
  readonly stop: () => Promise<void>;
  /** Stops without any cleanup. */
  readonly crash: () => void;
  readonly error: () => unknown;
  /** When its work is killed unless it renews; undefined when it is not. */
  readonly fencedAt: () => number | undefined;
  /** Stands still for this time: none of its timers is heard. */
  readonly stall: (ms: number) => void;
}

let sandbox: Sandbox;
let candidates: Candidate[] = [];
let startedAt = 0;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-05T03:00:00Z') });
  candidates = [];
  sandbox = await startSandbox();
  startedAt = performance.now();
  onTestFinished(() => sandbox.close());
});
afterEach(() => {
  vi.useRealTimers();
});

function candidate(identity: string, { skewMs = 0, random = (): number => 0.5 } = {}): Candidate {
  const client = inProcessClient(sandbox);
  const log = recordingLogger();
  const controller = new AbortController();
  let crashed = false;
  let error: unknown;
  let fencedAt: number | undefined;
  let stalledMs = 0;
  let isAtWork = false;
  const election = new LeaderElection({
    ...times,
    // A crashed process sends and receives nothing.
    client: { request: async (request, signal) => (crashed ? new Promise(() => {}) : client.request(request, signal)) },
    namespace: 'default',
    name: 'hooklet',
    identity,
    log,
    now: () => Date.now() + skewMs,
    random,
    elapsed: () => performance.now() + stalledMs,
    fence: (leftMs) => (fencedAt = leftMs === undefined ? undefined : Date.now() + leftMs),
  });
  void election.leading.then(() => (isAtWork = true));
  election.lost.addEventListener('abort', () => (isAtWork = false));
  const running = election.run(controller.signal).catch((failure: unknown) => {
    error = failure;
  });
  const made: Candidate = {
    election,
    client,
    lines: log.lines,
    isAtWork: () => isAtWork,
    stop: async () => {
      isAtWork = false;
      controller.abort();
      await vi.advanceTimersByTimeAsync(100);
      await running;
    },
    crash: () => {
      crashed = true;
      isAtWork = false;
    },
    error: () => error,
    fencedAt: () => fencedAt,
    stall: (ms) => void (stalledMs += ms),
  };
  candidates.push(made);
  return made;
}

/** Advances the time, and checks at each step that no two candidates are at work. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await vi.advanceTimersByTimeAsync(Math.min(50, ms - passed));
    expect(candidates.filter(({ isAtWork }) => isAtWork()).length).toBeLessThanOrEqual(1);
  }
}

/** Advances the time until the condition holds; returns how long that took. */
async function passUntil(check: () => boolean, limitMs = 60 * SECOND): Promise<number> {
  const from = performance.now();
  while (!check() && performance.now() - from < limitMs) await pass(50);
  expect(check()).toBe(true);
  return performance.now() - from;
}

async function lease(): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await sandbox.call('GET', LEASE);
  return (body as { readonly spec: Readonly<Record<string, unknown>> }).spec;
}

describe('leader election', () => {
  it('has one leader at once, and the other candidate reports it', async () => {
    const [a, b] = [candidate('a'), candidate('b')];

    await pass(60 * SECOND);

    const [leader, other] = a.isAtWork() ? [a, b] : [b, a];
    const name = leader === a ? 'a' : 'b';
    expect(leader.election.status).toEqual({ type: 'leading' });
    expect(other.election.status).toEqual({ type: 'standing-by', leader: name });
    expect(other.lines).toMatchObject([{ level: 'info', message: 'standing by', fields: { leader: name } }]);
    expect(await lease()).toMatchObject({ holderIdentity: name, leaseDurationSeconds: 15, leaseTransitions: 0 });
  });

  it('leads at once when nobody does', async () => {
    const a = candidate('a');

    expect(await passUntil(a.isAtWork)).toBeLessThanOrEqual(100);
  });

  it.each([0, 700, 1300, 1999])(
    'is taken over after a crash within the duration of the lease and a retry, wherever in its round (%i ms)',
    async (offsetMs) => {
      const a = candidate('a');
      await passUntil(a.isAtWork);
      const b = candidate('b');
      await pass(10 * SECOND + offsetMs);

      a.crash();
      const took = await passUntil(b.isAtWork);

      expect(took).toBeLessThanOrEqual(times.leaseDurationMs + times.retryPeriodMs + 50);
      expect(took).toBeGreaterThan(times.leaseDurationMs - times.retryPeriodMs - 50);
      expect(await lease()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    },
  );

  it('is handed over within 2 s, a retry, when the leader ends in good order', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    const b = candidate('b');
    await pass(10 * SECOND);

    await a.stop();
    expect(await lease()).toMatchObject({ holderIdentity: '' });

    await withinVirtual(2000, () => expect(b.isAtWork()).toBe(true));
    expect(a.error()).toBeUndefined();
  });

  it('is taken over as released from a leader that ended in good order, and by the first of all', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    const b = candidate('b');
    await pass(10 * SECOND);
    expect([a.election.takenOver, b.election.takenOver]).toEqual(['released', undefined]);

    await a.stop();
    await passUntil(b.isAtWork);

    expect(b.election.takenOver).toBe('released');
  });

  it('is taken over as expired from a leader that crashed, also where its Lease was deleted then', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    const b = candidate('b');
    await pass(10 * SECOND);
    a.crash();
    await passUntil(b.isAtWork);
    expect(b.election.takenOver).toBe('expired');
    const c = candidate('c');
    await pass(10 * SECOND);

    b.crash();
    await sandbox.call('DELETE', LEASE);
    await passUntil(c.isAtWork);

    expect(c.election.takenOver).toBe('expired');
  });

  it('goes on through an outage shorter than the renew deadline', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    await pass(5 * SECOND);

    a.client.link = 'down';
    await pass(7 * SECOND);
    a.client.link = 'up';
    await pass(60 * SECOND);

    expect(a.isAtWork()).toBe(true);
    expect(a.lines.map(({ level, message }) => `${level} ${message}`)).toEqual(['warn lease renewal failed, retrying']);
  });

  it('is lost 10 s after the last renewal, and had by another 15 s after it at the earliest', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    const b = candidate('b');
    await pass(5 * SECOND);
    const renewedAt = Date.parse(String((await lease())['renewTime']));

    a.client.link = 'down';
    await withinVirtual(11_000, () => expect(a.isAtWork()).toBe(false));
    const lostMs = Date.now() - renewedAt;
    await passUntil(b.isAtWork);

    expect(Math.round(lostMs / 100)).toBe(100);
    expect(Date.now() - renewedAt).toBeGreaterThanOrEqual(15_000);
    expect(a.error()).toBeInstanceOf(LeaseLostError);
    expect(a.error()).toMatchObject({
      message: expect.stringMatching(/default\/hooklet is lost: .*in time.*no answer/),
    });
    expect(a.election.status).toEqual({ type: 'lost' });
  });

  it('has its work killed 14.5 s after its last renewal, where it stands still, and not after it has ended', async () => {
    const a = candidate('a');
    expect(a.fencedAt()).toBeUndefined();
    await passUntil(a.isAtWork);
    await pass(20 * SECOND);
    const renewedAt = Date.parse(String((await lease())['renewTime']));

    expect(Math.round(((a.fencedAt() ?? 0) - renewedAt) / 100)).toBe(145);
    await a.stop();
    expect(a.fencedAt()).toBeUndefined();
  });

  it('is known to be lost by who asks first, where no timer was heard for 10 s, and by all others once', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    a.election.check();
    expect(a.isAtWork()).toBe(true);

    a.stall(10 * SECOND);
    a.election.check();
    a.election.check();

    expect(a.isAtWork()).toBe(false);
    await pass(5 * SECOND);
    expect(a.error()).toBe(a.election.lost.reason);
    expect(a.error()).toBeInstanceOf(LeaseLostError);
  });

  it('is not lost by answers that do not come, as long as the requests are done', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);

    a.client.link = 'lost';
    await pass(6 * SECOND);
    a.client.link = 'up';
    await pass(30 * SECOND);

    expect(a.isAtWork()).toBe(true);
    expect(await lease()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
  });

  it('is had by the one who asked for it, also when the first answer was lost', async () => {
    const a = candidate('a');
    a.client.link = 'lost';
    await pass(12 * SECOND);
    expect(a.isAtWork()).toBe(false);

    a.client.link = 'up';

    await passUntil(a.isAtWork);
    expect(await lease()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
  });

  it('takes no harm from clocks that differ by an hour', async () => {
    const a = candidate('a', { skewMs: -HOUR });
    await passUntil(a.isAtWork);
    const b = candidate('b', { skewMs: HOUR });
    await pass(60 * SECOND);
    expect([a.isAtWork(), b.isAtWork()]).toEqual([true, false]);

    a.crash();
    expect(await passUntil(b.isAtWork)).toBeGreaterThan(times.leaseDurationMs - times.retryPeriodMs - 50);
    const c = candidate('c', { skewMs: -HOUR });
    await pass(60 * SECOND);
    expect([b.isAtWork(), c.isAtWork()]).toEqual([true, false]);
  });

  it('takes no harm from a clock that is set while it leads', async () => {
    const a = candidate('a');
    const b = candidate('b');
    await pass(5 * SECOND);
    const leader = a.isAtWork();

    vi.setSystemTime(Date.now() + 24 * HOUR);
    await pass(30 * SECOND);
    vi.setSystemTime(Date.now() - 48 * HOUR);
    await pass(30 * SECOND);

    expect([a.isAtWork(), b.isAtWork()]).toEqual([leader, !leader]);
  });

  it('is lost at once when somebody else holds it, and when somebody released it', async () => {
    for (const holderIdentity of ['intruder', '']) {
      const a = candidate(`a-${holderIdentity}`);
      await passUntil(a.isAtWork);

      await sandbox.call('PATCH', LEASE, { spec: { holderIdentity } }, 'application/merge-patch+json');

      expect(await passUntil(() => !a.isAtWork())).toBeLessThanOrEqual(times.retryPeriodMs + 100);
      expect(a.error()).toBeInstanceOf(LeaseLostError);
      await sandbox.call('DELETE', LEASE);
    }
  });

  it('is not lost when somebody deletes or labels the lease', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);

    await sandbox.call('PATCH', LEASE, { metadata: { labels: { x: 'y' } } }, 'application/merge-patch+json');
    await pass(10 * SECOND);
    await sandbox.call('DELETE', LEASE);
    await pass(10 * SECOND);

    expect(a.isAtWork()).toBe(true);
    expect(await lease()).toMatchObject({ holderIdentity: 'a' });
  });

  it('that is forbidden logs the missing rule once, and is acquired when it is granted', async () => {
    const a = candidate('a');
    a.client.refuse = () => 403;
    await pass(30 * SECOND);

    expect(a.election.status).toMatchObject({
      type: 'standing-by',
      problem: expect.stringContaining('resources: [leases], verbs: [get, create, update]'),
    });
    expect(a.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn lease could not be acquired, retrying',
    ]);
    a.client.refuse = () => undefined;

    expect(await passUntil(a.isAtWork)).toBeLessThanOrEqual(times.retryPeriodMs + 50);
  });

  it('asks for nothing more and releases nothing when it ends while it stands by', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    const b = candidate('b');
    await pass(20 * SECOND);
    const asked = b.client.requests.length;

    await b.stop();
    await pass(20 * SECOND);

    expect(b.client.requests.length - asked).toBeLessThanOrEqual(1);
    expect(b.client.requests.map(({ method }) => method)).not.toContain('PUT');
    expect(a.isAtWork()).toBe(true);
  });

  it('ends soon when it cannot be released', async () => {
    const a = candidate('a');
    await passUntil(a.isAtWork);
    a.client.link = 'down';

    await Promise.all([a.stop(), vi.advanceTimersByTimeAsync(4000)]);

    expect(a.lines.at(-1)?.message).toBe('lease could not be released, it will expire');
  });

  it('has never two leaders through many crashes, outages and restarts', { timeout: 120_000 }, async () => {
    let seed = 7;
    const leaders = new Set<Candidate>();
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31;
    };
    for (let round = 0; round < 120; round += 1) {
      while (candidates.length < 3) candidate(`${round}-${candidates.length}`, { random });
      const victim = candidates[Math.floor(random() * candidates.length)];
      if (victim === undefined) continue;
      const links = ['down', 'lost', 'up'] as const;
      victim.client.link = links[Math.floor(random() * 3)] ?? 'up';
      const isCrash = random() < 0.3;
      if (isCrash) victim.crash();
      await pass(Math.floor(random() * 25) * SECOND);
      for (const one of candidates) one.client.link = 'up';
      for (const one of candidates.filter(({ isAtWork }) => isAtWork())) leaders.add(one);
      candidates = candidates.filter((one) => one.error() === undefined && !(isCrash && one === victim));
    }
    expect(performance.now() - startedAt).toBeGreaterThan(10 * 60 * SECOND);
    expect(leaders.size).toBeGreaterThan(10);
  });
});
