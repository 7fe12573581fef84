import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HooksDigest } from '../../../src/hook/hooks-digest.ts';
import { createMetrics } from '../../../src/metrics.ts';
import type { RemoteOptions } from '../../../src/operator/remote/open-remote.ts';
import { WorkersAtWork } from '../../../src/operator/remote/workers-at-work.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { workHook } from '../../support/work-executor-rig.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const CALLER = { namespace: 'default', account: 'hooklet-workers', pod: 'w1', podUid: 'uid-1' };

/** Workers of a replica that leads, which came to that as `takenOver` says. */
function leading(takenOver: 'released' | 'expired' | undefined, hooksDir = import.meta.dirname) {
  const log = recordingLogger();
  const events: string[] = [];
  const end = new AbortController();
  const options = {
    settings: { workers: { accounts: [], silenceMs: 15_000, version: '1' } },
    hooksDir,
    leadership: takenOver && { takenOver },
    metrics: createMetrics(''),
    events: {
      record: ({ type, reason, message }: Record<string, string>) => void events.push(`${type} ${reason}: ${message}`),
    },
    log,
  } as unknown as RemoteOptions;
  const workers = new WorkersAtWork(options);
  const running = workers.run(end.signal);
  const stop = async (): Promise<void> => {
    end.abort();
    await running;
  };
  return { workers, log, events, signal: end.signal, stop };
}

it('runs that wait for a worker are told once, as an Event and in the log, with the workers that have other hooks', async () => {
  const { workers, log, events, signal, stop } = leading('released');
  const waiting = [workHook('a.sh'), workHook('b.sh')].map(async (hook) => workers.room(hook, signal).catch(() => {}));
  await vi.advanceTimersByTimeAsync(59_000);
  workers.desk.hello({ pool: 'default', hooks: 'others', capacity: 1, version: '0' }, CALLER);
  expect(events).toEqual([]);

  await vi.advanceTimersByTimeAsync(1000);
  await vi.advanceTimersByTimeAsync(600_000);

  expect(events).toEqual([
    'Warning NoWorkers: no worker of the pool default takes runs, and 2 runs wait; workers of it with other hooks than the operator, or another version: 1',
  ]);
  const told = log.lines.filter(({ message }) => message.startsWith('runs wait'));
  expect(told).toMatchObject([{ level: 'warn', fields: { pool: 'default', waiting: 2, outdated: 1 } }]);
  await stop();
  await Promise.all(waiting);
});

it.each([
  ['released', true],
  ['expired', false],
  [undefined, false],
] as const)(
  'a worker gets a run at once only of a leader that took over a lease as released: %s',
  async (takenOver, isAtOnce) => {
    const { workers, signal, stop } = leading(takenOver);
    const digest = await new HooksDigest({ hooksDir: import.meta.dirname, version: '1' }).current();
    const terms = workers.desk.hello({ pool: 'default', hooks: digest, capacity: 1, version: '1' }, CALLER);
    const ticket = { worker: terms.type === 'ok' ? terms.value.worker : '', caller: CALLER };
    let hasRoom = false;
    const waiting = workers.room(workHook(), signal).then(
      () => (hasRoom = true),
      () => false,
    );
    void workers.desk.claim(ticket, 1, { waitMs: 30_000, signal });

    await vi.waitFor(() => expect(workers.pools()).toMatchObject([{ workers: 1 }]));
    await vi.advanceTimersByTimeAsync(14_000);
    workers.desk.beat(ticket, []);
    expect(hasRoom).toBe(isAtOnce);
    await vi.advanceTimersByTimeAsync(1000);
    expect(hasRoom).toBe(true);

    await stop();
    await waiting;
  },
);

it('a run has the hash of the file as it is now, also when that was changed after the hook was loaded', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'a.sh');
  const { workers, signal, stop } = leading('released', folder.path);
  const hook = { ...workHook('a.sh'), path };
  const hashOfRun = async (script: string): Promise<string> => {
    writeFileSync(path, script);
    // The digest is read again.
    await vi.advanceTimersByTimeAsync(6000);
    const digest = await new HooksDigest({ hooksDir: folder.path, version: '1' }).current();
    const terms = workers.desk.hello({ pool: 'default', hooks: digest, capacity: 1, version: '1' }, CALLER);
    const ticket = { worker: terms.type === 'ok' ? terms.value.worker : '', caller: CALLER };
    const claimed = workers.desk.claim(ticket, 1, { waitMs: 30_000, signal });
    const run = new AbortController();
    const executed = workers.execute({ hook, runId: randomUUID(), contexts: [], onOutput: () => {} }, run.signal);
    const answer = await claimed;
    workers.desk.leave(ticket);
    run.abort();
    await executed;
    return answer.type === 'ok' ? (answer.value[0]?.run.hookHash ?? '') : answer.message;
  };

  expect(await hashOfRun('#!/bin/sh\n')).toBe(sha256('#!/bin/sh\n'));
  expect(await hashOfRun('#!/bin/sh\nsleep 1\n')).toBe(sha256('#!/bin/sh\nsleep 1\n'));
  await stop();
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
