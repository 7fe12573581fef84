import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Exit } from '../../src/runner/spawner-protocol.ts';
import type { Spawner } from '../../src/runner/spawner.ts';
import { WarmServer } from '../../src/runner/warm-server.ts';
import { WarmWorker } from '../../src/runner/warm-worker.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;
let server: WarmServer;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  folder = temporaryFolder();
  server = new WarmServer(folder.path);
  await server.open();
});
afterEach(async () => {
  await server.close();
  vi.useRealTimers();
  folder[Symbol.dispose]();
});

/** A worker whose spawner does and reports nothing, and the requests it received. */
function deadWorker() {
  const asked: string[] = [];
  const spawner: Spawner = {
    start: () => ({
      exit: new Promise<Exit>(() => {}),
      terminate: () => void asked.push('terminate'),
      kill: () => void asked.push('kill'),
      refill: () => {},
    }),
    spawn: async () => expect.unreachable(),
    run: async () => {},
    close: async () => {},
    problem: undefined,
    fence: () => {},
  };
  const worker = new WarmWorker({ spawner, server, path: '/hooks/a.ts', env: {}, onLine: () => {} });
  return { worker, asked };
}

/** Whether a promise is settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let isThere = false;
  void promise.then(() => (isThere = true));
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return isThere;
}

describe('a warm process that reports nothing', () => {
  it('is ended when it was not loaded after 10 s', async () => {
    const { worker, asked } = deadWorker();

    vi.advanceTimersByTime(9999);
    expect(asked).toEqual([]);
    vi.advanceTimersByTime(1);

    expect(asked).toEqual(['terminate']);
    expect(worker.reason).toBe('it was not loaded within 10 s');
  });

  it('is killed 10 s after it was to end, and counts as ended with all that waited for it', async () => {
    const { worker, asked } = deadWorker();
    const { outcome } = worker.run({ contexts: [], runId: 'run-1' }, { onLine: () => {}, onLog: () => {} });
    worker.terminate();

    vi.advanceTimersByTime(9999);
    expect(await isSettled(worker.ended)).toBe(false);
    vi.advanceTimersByTime(1);

    expect(await isSettled(worker.ended)).toBe(true);
    expect(asked).toEqual(['terminate', 'kill']);
    const exit = { startError: { message: 'it did not end within 10 s' } };
    expect(await Promise.all([worker.loaded, outcome])).toMatchObject([
      { type: 'ended', exit },
      { type: 'ended', exit },
    ]);
    await expect(
      worker.run({ contexts: [], runId: 'run-1' }, { onLine: () => {}, onLog: () => {} }).outcome,
    ).resolves.toMatchObject({
      type: 'ended',
    });
  });

  it('is killed after 10 s however often it is asked to end', async () => {
    const { worker } = deadWorker();
    worker.terminate();

    vi.advanceTimersByTime(9000);
    worker.terminate();
    vi.advanceTimersByTime(1000);

    expect(await isSettled(worker.ended)).toBe(true);
  });
});

describe('a stranger', () => {
  it('has 5 s for its token', async () => {
    const socket = connect(server.path);
    await once(socket, 'connect');
    socket.write('{"type":');
    // The server has handled it once it has disconnected this other connection.
    const other = connect(server.path);
    other.write('garbage\n');
    other.resume();
    await once(other, 'close');

    vi.advanceTimersByTime(4999);
    expect(await isSettled(once(socket, 'close'))).toBe(false);
    const closed = once(socket.resume(), 'close');
    vi.advanceTimersByTime(1);

    await closed;
  });

  it('has 1 KiB for it', async () => {
    const socket = connect(server.path);
    socket.write('x'.repeat(1024));
    socket.resume();
    const other = connect(server.path);
    other.write('garbage\n');
    other.resume();
    await once(other, 'close');
    expect(await isSettled(once(socket, 'close'))).toBe(false);
    const closed = once(socket, 'close');

    socket.write('x');

    await closed;
  });
});
