import { connect } from 'node:net';

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { readWhole } from '../../../src/kube/http/body.ts';
import type { Wire } from '../../../src/kube/http/connect.ts';
import type { HttpConnections } from '../../../src/kube/http/http.ts';
import { createHttp1 } from '../../../src/kube/http/http1.ts';
import { within } from '../../support/within.ts';
import { json, startServer, type Answer, type ScriptedServer } from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(answer: Answer): Promise<[ScriptedServer, HttpConnections]> {
  const server = await startServer(answer);
  const connections = createHttp1(server.url, () => dial(server));
  cleanups.push(
    () => server.close(),
    async () => connections.close(),
  );
  return [server, connections];
}

async function dial({ port }: ScriptedServer): Promise<Wire> {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, tcp: socket };
}

const never = new AbortController().signal;
const get = { method: 'GET', path: '/', headers: {} };

/** Advances the driven clock, and lets what is sent arrive in between: the server is in this process. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 250) {
    await vi.advanceTimersByTimeAsync(250);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('HTTP/1.1 connections', () => {
  it('send several values of one header one by one', async () => {
    const [, connections] = await serve((request, response) => {
      json(response, 200, 'rawHeaders' in request ? request.rawHeaders : []);
    });

    const response = await connections.send({ ...get, headers: { 'impersonate-group': ['a', 'b'] } }, never);
    const headers: unknown = JSON.parse((await readWhole(response, { signal: never })).toString());

    expect(headers).toEqual(expect.arrayContaining(['impersonate-group', 'a', 'b']));
    expect(JSON.stringify(headers)).toContain('"impersonate-group","a","impersonate-group","b"');
  });

  it('take a body as truncated when the connection breaks', async () => {
    const [server, connections] = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x');
    });
    const response = await connections.send(get, never);

    const whole = readWhole(response, { signal: never, onData: () => [...server.sockets][0]?.end() });

    await expect(whole).rejects.toThrow();
  });

  it('keep nothing after they are retired, and let what is open finish', async () => {
    let finish = (): unknown => undefined;
    const [server, connections] = await serve((request, response) => {
      if (request.url === '/') {
        json(response, 200, {});
        return;
      }
      response.writeHead(200);
      response.write('begin ');
      finish = () => response.end('end');
    });
    const open = await connections.send({ ...get, path: '/w' }, never);
    await readWhole(await connections.send(get, never), { signal: never });

    void connections.retire();
    await expect.poll(() => server.sockets.size, { timeout: 15_000, interval: 10 }).toBe(1);
    finish();

    expect((await readWhole(open, { signal: never })).toString()).toBe('begin end');
    await expect.poll(() => server.sockets.size, { timeout: 15_000, interval: 10 }).toBe(0);
  });

  it('answer a GET within 5 s whose connection alone is silent, and end that one', async () => {
    let dead: string | undefined;
    const [server, connections] = await serve((request, response) => {
      if (request.url === '/silent' && dead === undefined) {
        dead = request.headers.connection;
        return;
      }
      json(response, 200, {});
    });

    await within(5000, async () => {
      const response = await connections.send({ ...get, path: '/silent' }, never);
      await readWhole(response, { signal: never });
    });

    expect(server.asked.filter((asked) => asked === 'GET /silent')).toHaveLength(2);
    expect(dead).toBe('keep-alive');
    // Only the connection of the probes remains.
    await expect.poll(() => server.sockets.size, { timeout: 5000, interval: 10 }).toBeLessThanOrEqual(1);
  });

  it.each([
    ['twice that changes nothing', 'GET', 2],
    ['once that changes something', 'POST', 1],
  ])('send a request %s and has no answer while others have theirs', async (_, method, times) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const [server, connections] = await serve((request, response) => {
      if (request.url === '/version') json(response, 200, {});
    });
    const controller = new AbortController();
    const sent = connections.send({ ...get, method }, controller.signal).catch(String);

    await pass(3000);
    controller.abort(new Error('enough'));

    expect(await sent).toBe('Error: enough');
    expect(server.asked).toContain('GET /version');
    expect(server.asked.filter((asked) => asked === `${method} /`)).toHaveLength(times);
  });

  it('reject with what went wrong while connecting', async () => {
    const connections = createHttp1(new URL('http://x'), () => Promise.reject(new Error('no way')));

    await expect(connections.send(get, never)).rejects.toThrow('no way');
  });
});
