import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { connect } from '../../src/kube/connect.ts';
import { openSession } from '../../src/kube/http2-session.ts';
import { startServer, type ScriptedServer } from '../support/scripted-server.ts';
import { startRelay } from '../support/tcp-relay.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(): Promise<ScriptedServer> {
  const server = await startServer(() => {}, { protocol: 'h2' });
  cleanups.push(() => server.close());
  return server;
}

const dial =
  ({ url, certificate }: ScriptedServer) =>
  () =>
    connect({ server: url, tls: { ca: certificate.cert }, protocols: ['h2'] });

describe('openSession', () => {
  it('knows how many streams the server allows', async () => {
    const server = await startServer(() => {}, { protocol: 'h2', maxStreams: 7 });
    cleanups.push(() => server.close());

    const session = await openSession({ server: server.url, connect: dial(server) }, () => 0);

    expect(session.remoteSettings.maxConcurrentStreams).toBe(7);
    session.destroy();
  });

  it('opens a window wide enough for big lists', async () => {
    const server = await serve();

    const session = await openSession({ server: server.url, connect: dial(server) }, () => 0);

    expect(session.state.localWindowSize).toBe(32 * 1024 * 1024);
    expect(session.state.effectiveLocalWindowSize).toBe(32 * 1024 * 1024);
    session.destroy();
  });

  it('pings while there are streams, and only then', async () => {
    const server = await serve();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let active = 0;
    const session = await openSession({ server: server.url, connect: dial(server) }, () => active);
    const ping = vi.spyOn(session, 'ping');
    const pinged = new Promise((resolve) => [...server.sessions][0]?.once('ping', resolve));

    vi.advanceTimersByTime(30_000);
    const pingsWhileIdle = ping.mock.calls.length;
    active = 1;
    vi.advanceTimersByTime(5000);
    await pinged;

    expect([pingsWhileIdle, ping.mock.calls.length]).toEqual([0, 1]);
    expect(session.destroyed).toBe(false);
    session.destroy();
  });

  it('ends a session with streams within 15 s of the moment at which its connection went silent', async () => {
    const server = await serve();
    const relay = await startRelay(server.port);
    cleanups.push(() => relay.close());
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    const url = new URL(`https://127.0.0.1:${relay.port}`);
    const session = await openSession({ server: url, connect: dial({ ...server, url }) }, () => 1);
    const closed = once(session, 'close').catch((error: unknown) => error);

    relay.freeze();
    vi.advanceTimersByTime(15_000);

    expect(await closed).toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('closes a session that had no stream for a minute', async () => {
    const server = await serve();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let active = 1;
    const session = await openSession({ server: server.url, connect: dial(server) }, () => active);
    await vi.advanceTimersByTimeAsync(120_000);
    const wasOpen = !session.closed;
    active = 0;

    await vi.advanceTimersByTimeAsync(55_000);
    const wasOpenLater = !session.closed;
    await vi.advanceTimersByTimeAsync(5_000);

    expect([wasOpen, wasOpenLater, session.closed]).toEqual([true, true, true]);
  });

  it('fails when the server hangs up instead of speaking HTTP/2', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

    const opened = openSession(
      { server: url, connect: () => connect({ server: url, tls: {}, protocols: [] }) },
      () => 0,
    );

    await expect(opened).rejects.toThrow();
  });
});
