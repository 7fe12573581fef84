import { constants, type ServerHttp2Stream } from 'node:http2';

import { afterEach, describe, expect, it } from 'vitest';

import { readWhole } from '../../../src/kube/http/body.ts';
import { connect } from '../../../src/kube/http/connect.ts';
import type { HttpConnections } from '../../../src/kube/http/http.ts';
import { createHttp2 } from '../../../src/kube/http/http2.ts';
import { json, startServer, type Answer, type ScriptedServer } from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(answer: Answer, maxStreams?: number, lateMs?: number): Promise<[ScriptedServer, HttpConnections]> {
  const server = await startServer(answer, { protocol: 'h2', ...(maxStreams === undefined ? {} : { maxStreams }) });
  const connections = createHttp2({
    ...(lateMs === undefined ? {} : { lateMs }),
    server: server.url,
    connect: () => connect({ server: server.url, tls: { ca: server.certificate.cert }, protocols: ['h2'] }),
  });
  cleanups.push(
    () => server.close(),
    async () => connections.close(),
  );
  return [server, connections];
}

const never = new AbortController().signal;
const get = (path: string) => ({ method: 'GET', path, headers: {} });
const hold: Answer = (_request, response) => {
  response.writeHead(200);
  response.write('x');
};

describe('HTTP/2 connections', () => {
  it('open another session when the server allows no more streams on one', async () => {
    const [server, connections] = await serve(hold, 100);

    const responses = await Promise.all(Array.from({ length: 250 }, () => connections.send(get('/w'), never)));

    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 250 }, () => 200));
    expect(server.connections()).toBe(3);
  });

  it('ask another session where one answers pings and no requests, and give it no more of them: 100 late requests share one', async () => {
    const sessions: unknown[] = [];
    const [server, connections] = await serve(
      (request, response) => {
        const session = 'stream' in request ? request.stream.session : undefined;
        if (!sessions.includes(session)) sessions.push(session);
        if (session !== sessions[0]) json(response, 200, {});
      },
      undefined,
      50,
    );

    const all = await Promise.all(Array.from({ length: 100 }, () => connections.send(get('/w'), never)));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
    const first = await connections.send(get('/a'), never);
    const second = await connections.send(get('/b'), never);

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(server.connections()).toBe(2);
  });

  it('use the room that ended streams leave', async () => {
    const [server, connections] = await serve(hold, 2);
    const first = await Promise.all([1, 2].map(() => connections.send(get('/w'), never)));
    const closed = first.map(({ body }) => new Promise((resolve) => body.once('close', resolve)));
    for (const response of first) response.cancel();
    await Promise.all(closed);

    await Promise.all([1, 2].map(() => connections.send(get('/w'), never)));

    expect(server.connections()).toBe(1);
  });

  it('leave a session that receives GOAWAY to its open streams, and use another for new ones', async () => {
    const responses = new Set<{ end(chunk: string): unknown }>();
    const [server, connections] = await serve((request, response) => {
      if (request.url === '/version') {
        json(response, 200, {});
        return;
      }
      response.writeHead(200);
      response.write('begin ');
      responses.add(response);
    });
    const open = await connections.send(get('/w'), never);
    const session = [...server.sessions][0];
    session?.goaway(constants.NGHTTP2_NO_ERROR);

    await expect
      .poll(
        async () => {
          await readWhole(await connections.send(get('/version'), never), { signal: never });
          return server.connections();
        },
        { timeout: 15_000, interval: 10 },
      )
      .toBe(2);
    for (const response of responses) response.end('end');

    expect((await readWhole(open, { signal: never })).toString()).toBe('begin end');
  });

  it('repeat a request of any kind that the server refused without working on it', async () => {
    let count = 0;
    const [, connections] = await serve((request, response) => {
      count += 1;
      if (count === 1 && 'stream' in request) request.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else json(response, 201, {});
    });

    const response = await connections.send({ method: 'POST', path: '/x', headers: {}, body: '{}' }, never);

    expect(response.status).toBe(201);
    expect(count).toBe(2);
  });

  it('repeat a GET whose connection was lost before an answer, and nothing else', async () => {
    const asked: string[] = [];
    const [server, connections] = await serve((request, response) => {
      asked.push(request.method ?? '');
      if (asked.length === 1 || request.method === 'POST') for (const socket of server.sockets) socket.destroy();
      else json(response, 200, {});
    });

    const response = await connections.send(get('/x'), never);
    const failed = connections.send({ ...get('/x'), method: 'POST', body: '{}' }, never);

    expect(response.status).toBe(200);
    await expect(failed).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(asked).toEqual(['GET', 'GET', 'POST']);
  });

  it.each([
    [
      'resets the stream',
      (_server: ScriptedServer, stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_CANCEL),
    ],
    ['ends the session', (server: ScriptedServer) => [...server.sessions][0]?.destroy()],
    ['loses the connection', (server: ScriptedServer) => [...server.sockets][0]?.destroy()],
  ])('take a body as truncated when the server %s', async (_title, cut) => {
    let stream: ServerHttp2Stream | undefined;
    const [server, connections] = await serve((request, response) => {
      if ('stream' in request) stream = request.stream;
      hold(request, response);
    });
    const response = await connections.send(get('/w'), never);
    const whole = readWhole(response, {
      signal: never,
      onData: () => stream !== undefined && cut(server, stream),
    });

    await expect(whole).rejects.toThrow();
  });

  it('let what is open finish when they are retired', async () => {
    let finish = (): unknown => undefined;
    const [server, connections] = await serve((_request, response) => {
      response.writeHead(200);
      response.write('begin ');
      finish = () => response.end('end');
    });
    const response = await connections.send(get('/w'), never);

    void connections.retire();
    finish();

    expect((await readWhole(response, { signal: never })).toString()).toBe('begin end');
    await expect.poll(() => server.sockets.size, { timeout: 15_000, interval: 10 }).toBe(0);
  });

  it('leave the wait for a session when they are aborted', async () => {
    const connections = createHttp2({
      server: new URL('https://localhost'),
      connect: () => new Promise(() => {}),
    });
    const controller = new AbortController();
    const sent = connections.send(get('/x'), controller.signal);

    controller.abort(new Error('enough'));

    await expect(sent).rejects.toThrow('enough');
  });
});
