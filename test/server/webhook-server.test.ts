import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { latch } from '../../src/lib/latch.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { openWebhookServer, type WebhookCall, type WebhookRoute } from '../../src/server/webhook-server.ts';
import { createCertificate } from '../support/certificate.ts';
import { never } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const MIB = 1024 * 1024;

interface Given {
  readonly answer?: WebhookRoute['answer'];
  readonly clientCa?: readonly string[];
}

async function rig({ answer = async () => ({ status: 200, type: 'text/plain', body: 'yes' }), clientCa }: Given = {}) {
  const certificate = createCertificate();
  const calls: WebhookCall[] = [];
  const server = await openWebhookServer({
    address: '127.0.0.1',
    port: 0,
    flags: { address: '--address', port: '--port' },
    certificate: () => certificate,
    clientCa: clientCa && (() => clientCa),
    routeOf: (path) =>
      path === '/hooks/a'
        ? {
            maxBodyBytes: 8 * MIB,
            answer: async (call) => {
              calls.push(call);
              return answer(call);
            },
          }
        : undefined,
    log: recordingLogger(),
  });
  onTestFinished(async () => server.close());
  const { port } = server;
  const ask = async (path = '/hooks/a', body = '{}', more: { method?: string; cert?: string; key?: string } = {}) => {
    const { promise, resolve, reject } = latch<{ status: number | undefined; body: string; retryAfter: unknown }>();
    const headers = { 'content-type': 'application/json' };
    const out = request(
      { host: '127.0.0.1', port, path, method: 'POST', ca: certificate.cert, headers, agent: false, ...more },
      (response) => {
        void text(response).then((got) =>
          resolve({ status: response.statusCode, body: got, retryAfter: response.headers['retry-after'] }),
        );
      },
    );
    out.on('error', reject);
    out.end(body);
    return promise;
  };
  return { server, calls, ask, certificate, port };
}

describe('the server of webhooks', () => {
  it('passes a request with its body, its type and how long its caller waits', async () => {
    const { ask, calls } = await rig();

    expect(await ask('/hooks/a?timeout=10s', '{"a":1}')).toMatchObject({ status: 200, body: 'yes' });
    expect(calls).toEqual([
      {
        body: Buffer.from('{"a":1}'),
        contentType: 'application/json',
        timeoutMs: 10_000,
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it.each(['/hooks/a', '/hooks/a?timeout=x', '/hooks/a?timeout=0s'])('%s does not say how long', async (path) => {
    const { ask, calls } = await rig();
    await ask(path);

    expect(calls[0]).not.toHaveProperty('timeoutMs');
  });

  it('speaks HTTP/2, with many requests on one connection', async () => {
    const { port, certificate, calls } = await rig();
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: certificate.cert });
    onTestFinished(() => session.destroy());
    const answers = Array.from({ length: 40 }, async () => {
      const stream = session.request({ ':method': 'POST', ':path': '/hooks/a?timeout=5s' });
      stream.end('{}');
      return (await buffer(stream)).toString();
    });

    expect(new Set(await Promise.all(answers))).toEqual(new Set(['yes']));
    expect(calls).toHaveLength(40);
  });

  it('answers /healthz, and names a path that nobody has', async () => {
    const { ask } = await rig();

    expect(await ask('/healthz', '', { method: 'GET' })).toMatchObject({ status: 200 });
    expect(await ask('/hooks/b')).toMatchObject({ status: 404, body: 'hooklet: no hook has a webhook at /hooks/b\n' });
    expect(await ask('/hooks/a', '', { method: 'GET' })).toMatchObject({ status: 405 });
  });

  it('takes bodies up to the limit of the path', async () => {
    const { ask } = await rig();

    expect(await ask('/hooks/a', 'x'.repeat(8 * MIB))).toMatchObject({ status: 200 });
    expect(await ask('/hooks/a', 'x'.repeat(8 * MIB + 1))).toMatchObject({ status: 413 });
  });

  it('runs 50 requests at once; the next is told to come again, and a probe is answered', async () => {
    const { promise, resolve } = latch();
    const { ask, calls } = await rig({
      answer: async () => {
        await promise;
        return { status: 200, type: 'text/plain', body: 'late' };
      },
    });
    const running = Array.from({ length: 50 }, async () => ask());
    await expect.poll(() => calls.length).toBe(50);

    expect(await ask()).toEqual({ status: 503, body: 'hooklet: too many requests at once\n', retryAfter: '1' });
    expect(await ask('/healthz', '', { method: 'GET' })).toMatchObject({ status: 200 });
    resolve();
    expect((await Promise.all(running)).every(({ status }) => status === 200)).toBe(true);
  });

  it.each([429, 503])('tells with %s when to come again', async (status) => {
    const { ask } = await rig({ answer: async () => ({ status, type: 'text/plain', body: 'busy' }) });

    expect(await ask()).toEqual({ status, body: 'busy', retryAfter: '1' });
  });

  it('lets a request of 700 ms finish when it closes', async () => {
    const { server, calls, ask } = await rig({
      answer: async () => {
        await sleep(700, never);
        return { status: 200, type: 'text/plain', body: 'late' };
      },
    });
    const answer = ask();
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const closing = server.close();

    expect(await answer).toMatchObject({ status: 200, body: 'late' });
    await closing;
  });

  it('wants a certificate of its callers where it was told to', async () => {
    const client = createCertificate({ commonName: 'caller' });
    const { ask } = await rig({ clientCa: [client.cert] });

    await expect(ask()).rejects.toThrow();
    expect(await ask('/hooks/a', '{}', client)).toMatchObject({ status: 200 });
  });

  it('wants another certificate of its callers once it was told to', async () => {
    const [before, after] = [createCertificate({ commonName: 'a' }), createCertificate({ commonName: 'b' })];
    const clientCa = [before.cert];
    const { ask, server } = await rig({ clientCa });
    expect(await ask('/hooks/a', '{}', before)).toMatchObject({ status: 200 });

    clientCa[0] = after.cert;
    server.renew();

    await expect(ask('/hooks/a', '{}', before)).rejects.toThrow();
    expect(await ask('/hooks/a', '{}', after)).toMatchObject({ status: 200 });
  });
});
