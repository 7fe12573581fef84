import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/server/server.ts';
import type { TakeRequest, VerifyRequest } from '../../src/server/trigger-routes.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const taking: TakeRequest = async ({ body }) => ({ status: 202, body: { got: body.toString() } });
const REFUSED = { type: 'refused', reply: { status: 401, body: { error: 'unknown' } } } as const;

/** Callers are known at `/there`, must sign at `/signed` with the body `good`, and are refused elsewhere. */
async function serve({ take = taking }: { readonly take?: TakeRequest } = {}) {
  const server = await createServer({
    address: '127.0.0.1',
    port: 0,
    metricsText: () => '',
    hookMetricsText: () => '',
    health: () => ({ checks: [] }),
    webhookHealth: () => ({ checks: [] }),
    triggers: {
      admit: async ({ path }) => {
        if (path.endsWith('/there')) return { type: 'known', maxBodyBytes: 10, take };
        if (!path.endsWith('/signed')) return REFUSED;
        const verify: VerifyRequest = async ({ body }) => (String(body) === 'good' ? take : REFUSED.reply);
        return { type: 'signed', maxBodyBytes: 10, verify };
      },
    },
    log: recordingLogger(),
  });
  onTestFinished(async () => server.close());
  const url = `http://127.0.0.1:${server.port}`;
  const post = async (path: string, body: string) => fetch(`${url}${path}`, { method: 'POST', body });
  return { server, url, post };
}

describe('the routes of triggers', () => {
  it('read bodies up to the limit of the binding', async () => {
    const { post } = await serve();
    expect(await (await post('/trigger/a/there', '0123456789')).json()).toEqual({ got: '0123456789' });
    expect((await post('/trigger/a/there', '0123456789x')).status).toBe(413);
  });

  it('read no body of a caller that is not known, however many send one', async () => {
    const { server, post } = await serve();
    const sockets = Array.from({ length: 110 }, () => connect(server.port, '127.0.0.1'));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    const answers = sockets.map(async (socket) => {
      socket.write('POST /trigger/a/none HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n');
      return String((await once(socket, 'data'))[0]);
    });
    for (const answer of await Promise.all(answers)) expect(answer).toContain('HTTP/1.1 401');
    expect((await post('/trigger/a/there', 'x')).status).toBe(202);
  });

  it('take a body whose signature is right, and no other', async () => {
    const { post } = await serve();
    expect(await (await post('/trigger/a/signed', 'good')).json()).toEqual({ got: 'good' });
    expect((await post('/trigger/a/signed', 'bad')).status).toBe(401);
  });

  it('wait for the bodies of 25 requests of one client that may be signed, and known callers are answered', async () => {
    const { server, post } = await serve();
    const sockets = Array.from({ length: 25 }, () => connect(server.port, '127.0.0.1'));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    for (const socket of sockets) {
      socket.write('POST /trigger/a/signed HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\ngo');
    }
    await expect.poll(async () => (await post('/trigger/a/signed', 'good')).status).toBe(503);

    expect((await post('/trigger/a/there', 'x')).status).toBe(202);
    sockets[0]?.write('od');
    if (sockets[0] !== undefined) await once(sockets[0], 'data');
    expect((await post('/trigger/a/signed', 'good')).status).toBe(202);
  });

  it('count a request as one of a known caller once its signature is right', async () => {
    const held = Promise.withResolvers<void>();
    let taken = 0;
    const { post } = await serve({
      take: async () => {
        taken += 1;
        await held.promise;
        return { status: 200, body: {} };
      },
    });
    const waiting: Promise<Response>[] = [];
    for (let count = 20; count <= 60; count += 20) {
      for (let one = 0; one < 20; one++) waiting.push(post('/trigger/a/signed', 'good'));
      await expect.poll(() => taken, { timeout: 20_000 }).toBe(count);
    }
    held.resolve();
    expect((await Promise.all(waiting)).every(({ status }) => status === 200)).toBe(true);
  });

  it('leave other paths as they are', async () => {
    const { url, post } = await serve();
    expect((await post('/metrics', '')).status).toBe(405);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('take 100 at once, the next is answered 503, and probes are answered meanwhile', async () => {
    const held = Promise.withResolvers<void>();
    let taken = 0;
    const { url, post } = await serve({
      take: async () => {
        taken += 1;
        await held.promise;
        return { status: 200, body: {} };
      },
    });
    const waiting = Array.from({ length: 100 }, async () => post('/trigger/a/there', 'x'));
    await expect.poll(() => taken, { timeout: 20_000 }).toBe(100);

    expect((await post('/trigger/a/there', 'x')).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    held.resolve();
    expect((await Promise.all(waiting)).every(({ status }) => status === 200)).toBe(true);
  });

  it('wait for slow bodies, which hold up no other request', async () => {
    const { server, post } = await serve();
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('POST /trigger/a/there HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nab');
    expect((await post('/trigger/a/there', 'x')).status).toBe(202);
    socket.write('cd');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain('{"got":"abcd"}');
  });
});
