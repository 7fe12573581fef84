import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { connect, type Wire } from '../../../src/kube/http/connect.ts';
import { openSession, type Session } from '../../../src/kube/http/http2-session.ts';
import { startServer, type ScriptedServer } from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const never = new AbortController().signal;

async function serve(maxStreams?: number): Promise<ScriptedServer> {
  const server = await startServer(() => {}, { protocol: 'h2', ...(maxStreams === undefined ? {} : { maxStreams }) });
  cleanups.push(() => server.close());
  return server;
}

const dial =
  ({ url, certificate }: ScriptedServer) =>
  (signal: AbortSignal) =>
    connect({ server: url, tls: { ca: certificate.cert }, protocols: ['h2'], signal });

async function open(server: ScriptedServer): Promise<Session> {
  const session = await openSession({ server: server.url, connect: dial(server) }, never);
  cleanups.push(async () => session.end(new Error('the test is over')));
  return session;
}

/** A connection that accepts all writes, sends nothing, and never reports that it was destroyed. */
function stuckWire(): Wire {
  const socket = new Duplex({ read() {}, write() {}, destroy() {} });
  return { socket, tcp: socket } as unknown as Wire;
}

describe('openSession', () => {
  it('allows as many streams as the server does', async () => {
    const session = await open(await serve(2));

    session.reserve();
    const hadRoom = session.hasRoom;
    const release = session.reserve();

    expect([hadRoom, session.hasRoom]).toEqual([true, false]);
    release();
    release();
    expect(session.hasRoom).toBe(true);
  });

  it('opens a window wide enough for big lists', async () => {
    const { http2 } = await open(await serve());

    expect(http2.state.localWindowSize).toBe(32 * 1024 * 1024);
    expect(http2.state.effectiveLocalWindowSize).toBe(32 * 1024 * 1024);
  });

  it('gives up after 10 s without settings, also when the library never reports that the session has closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opened = openSession({ server: new URL('https://x'), connect: async () => stuckWire() }, never);
    let isSettled = false;
    const failure = opened.catch((error: unknown) => error).finally(() => (isSettled = true));

    await vi.advanceTimersByTimeAsync(9999);
    const wasSettled = isSettled;
    await vi.advanceTimersByTimeAsync(1);

    expect(await failure).toMatchObject({ code: 'ETIMEDOUT', message: 'no HTTP/2 settings within 10 s' });
    expect(wasSettled).toBe(false);
  });

  it('pings every 2 s while there are streams, and only then', async () => {
    const server = await serve();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const session = await open(server);
    const ping = vi.spyOn(session.http2, 'ping');

    await vi.advanceTimersByTimeAsync(30_000);
    const pingsWhileIdle = ping.mock.calls.length;
    session.reserve();
    for (let seconds = 0; seconds < 10; seconds++) {
      await vi.advanceTimersByTimeAsync(1000);
      await untilAnswered(session);
    }

    expect(pingsWhileIdle).toBe(0);
    expect(ping).toHaveBeenCalledTimes(6);
  });

  it('closes a session that had no stream for a minute', async () => {
    const server = await serve();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const session = await open(server);

    await vi.advanceTimersByTimeAsync(59_999);
    const wasClosed = session.http2.closed;
    await vi.advanceTimersByTimeAsync(1);

    expect([wasClosed, session.http2.closed]).toEqual([false, true]);
  });

  it('ends all that waits on it at once when it is lost, whatever the library does', async () => {
    const session = await open(await serve());
    const finished = session.finish(60_000);

    session.end(new Error('given up'));

    expect(session.lost.reason).toMatchObject({ message: 'given up' });
    await finished;
  });

  it('fails when the server closes the connection instead of speaking HTTP/2', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

    const opened = openSession({ server: url, connect: () => connect({ server: url, tls: {}, protocols: [] }) }, never);

    await expect(opened).rejects.toThrow();
  });
});

/** Waits for the answer to a ping in real time: fake timers do not affect it. */
async function untilAnswered(session: Session): Promise<void> {
  await expect.poll(() => session.silentForMs(), { interval: 1 }).toBeLessThan(1500);
}
