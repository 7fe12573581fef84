import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/server/server.ts';
import type { TriggerDoor } from '../../src/server/trigger-routes.ts';
import { recordingLogger } from '../support/recording-logger.ts';

async function serve(door: Partial<TriggerDoor> = {}) {
  const server = await createServer({
    address: '127.0.0.1',
    port: 0,
    metricsText: () => '',
    hookMetricsText: () => '',
    health: () => ({ checks: [] }),
    triggers: {
      maxBodyBytes: (path) => (path.endsWith('/there') ? 10 : undefined),
      take: async ({ body }) => ({ status: 202, body: { got: body.toString() } }),
      ...door,
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

  it('read no body where nothing is', async () => {
    const { post } = await serve();
    expect(await (await post('/trigger/a/none', 'body')).json()).toEqual({ got: '' });
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
