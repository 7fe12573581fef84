import { afterEach, describe, expect, it, vi } from 'vitest';

import { KubeError, ResourceExpiredError } from '../../src/errors.ts';
import type { KubeClient, StreamOptions } from '../../src/kube/client.ts';
import { createCluster, type Cluster } from '../../src/kube/credentials/cluster.ts';
import { createKubeClient, type KubeClientOptions } from '../../src/kube/kube-client.ts';
import type { RequestReport } from '../../src/kube/exchange.ts';
import {
  json,
  startServer,
  statusObject,
  type Answer,
  type ScriptedServer,
  type ScriptedServerOptions,
} from '../support/scripted-server.ts';
import { startSoakRelay } from '../../bench/soak/relay.ts';
import { startRelay } from '../support/tcp-relay.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(answer: Answer, options?: ScriptedServerOptions): Promise<ScriptedServer> {
  const server = await startServer(answer, options);
  cleanups.push(() => server.close());
  return server;
}

function clientOf(cluster: Cluster, options: Partial<KubeClientOptions> = {}): KubeClient {
  const client = createKubeClient(cluster, { userAgent: 'hooklet/test', ...options });
  cleanups.push(() => client.close());
  return client;
}

const never = new AbortController().signal;
const get = (path: string) => ({ method: 'GET', path }) as const;
const stream = (options: Partial<StreamOptions> = {}): StreamOptions => ({
  signal: never,
  idleTimeoutMs: 10_000,
  ...options,
});

async function collect(lines: AsyncIterable<Uint8Array>): Promise<string[]> {
  const collected: string[] = [];
  for await (const line of lines) collected.push(Buffer.from(line).toString('utf8'));
  return collected;
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
}

describe.each(['http', 'https', 'h2'] as const)('a client over %s', (protocol) => {
  it('sends method, path, query, body, content type and user agent, and parses the answer', async () => {
    const server = await serve(
      (request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const { 'user-agent': agent, 'content-type': type, accept } = request.headers;
          const body = Buffer.concat(chunks).toString();
          json(response, 201, { url: request.url, method: request.method, agent, type, accept, body });
        });
      },
      { protocol },
    );
    const client = clientOf(server.cluster);

    const answer = await client.request(
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/a%3Ab',
        query: { dryRun: 'All', labelSelector: 'a=b,c' },
        body: '{"ä":1}',
        contentType: 'application/merge-patch+json',
      },
      never,
    );

    expect(answer).toEqual({
      url: '/api/v1/namespaces/a%3Ab?dryRun=All&labelSelector=a%3Db%2Cc',
      method: 'PATCH',
      agent: 'hooklet/test',
      type: 'application/merge-patch+json',
      accept: 'application/json',
      body: '{"ä":1}',
    });
  });

  it('keeps its connection for the next request', async () => {
    const server = await serve((_request, response) => json(response, 200, {}), { protocol });
    const client = clientOf(server.cluster);

    for (let count = 0; count < 20; count++) await client.request(get('/version'), never);

    expect(server.connections()).toBe(1);
  });

  it("rejects with the server's message, its reason and its Retry-After", async () => {
    const server = await serve(
      (_request, response) =>
        json(response, 429, statusObject(429, 'TooManyRequests', 'too many requests'), { 'retry-after': '7' }),
      { protocol },
    );
    const client = clientOf(server.cluster);

    const error = await failure(client.request(get('/api/v1/pods'), never));

    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({
      message: 'GET /api/v1/pods: 429 too many requests',
      status: 429,
      reason: 'TooManyRequests',
      retryAfterMs: 7000,
      isRetryable: true,
    });
    expect(server.asked).toHaveLength(1);
  });

  it('rejects with ResourceExpiredError for 410, also when a stream is opened', async () => {
    const server = await serve(
      (_request, response) => json(response, 410, statusObject(410, 'Expired', 'too old resource version: 1 (9)')),
      { protocol },
    );
    const client = clientOf(server.cluster);

    const error = await failure(collect(client.lines(get('/api/v1/pods?watch=1'), stream())));

    expect(error).toBeInstanceOf(ResourceExpiredError);
    expect(error).toMatchObject({ status: 410, reason: 'Expired' });
  });

  it('renews the credentials after a 401, once', async () => {
    const tokens: string[] = [];
    let token = 'old';
    const server = await serve(
      (request, response) => {
        tokens.push(request.headers.authorization ?? '');
        if (request.headers.authorization === 'Bearer new') json(response, 200, { ok: true });
        else json(response, 401, statusObject(401, 'Unauthorized', 'Unauthorized'));
      },
      { protocol },
    );
    const cluster = createCluster({ name: 'test', server: server.url }, [
      {
        read: () => Promise.resolve({ headers: { authorization: `Bearer ${token}` }, ca: server.certificate.cert }),
        invalidate: () => {
          token = token === 'old' ? 'new' : 'worse';
        },
      },
    ]);
    const client = clientOf(cluster);

    const answer = await client.request(get('/version'), never);
    token = 'refused';
    const error = await failure(client.request(get('/version'), never));

    expect(answer).toEqual({ ok: true });
    expect(error).toMatchObject({ status: 401, reason: 'Unauthorized' });
    expect(tokens).toEqual(['Bearer old', 'Bearer new', 'Bearer refused', 'Bearer worse']);
  });

  it('yields the lines of a stream as they come, and ends when the server ends it', async () => {
    const seen: string[] = [];
    const server = await serve(
      (_request, response) => {
        response.writeHead(200);
        response.write('{"a":1}\n{"b":');
        setImmediate(() => response.end('2}\n\n{"c":"ü"}\n{"d":4}'));
      },
      { protocol },
    );
    const client = clientOf(server.cluster);

    const lines = await collect(
      client.lines(get('/w'), stream({ onOpen: () => seen.push('open'), onData: () => seen.push('data') })),
    );

    expect(lines).toEqual(['{"a":1}', '{"b":2}', '{"c":"ü"}', '{"d":4}']);
    expect(seen.slice(0, 2)).toEqual(['open', 'data']);
  });

  it('does not yield the lines that are dropped', async () => {
    const server = await serve(
      (_request, response) => {
        response.writeHead(200);
        response.end('{"a":1}\n{"b":2}\n{"c":3}\n');
      },
      { protocol },
    );
    const client = clientOf(server.cluster);

    const lines = await collect(client.lines(get('/w'), stream({ isDropped: (line) => line.includes(0x62) })));

    expect(lines).toEqual(['{"a":1}', '{"c":3}']);
  });

  it('throws when a stream ends in the middle of a line', async () => {
    const server = await serve(
      (_request, response) => {
        response.writeHead(200);
        response.end('{"a":1}\n{"b":');
      },
      { protocol },
    );
    const client = clientOf(server.cluster);

    const error = await failure(collect(client.lines(get('/w'), stream())));

    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ status: 0, reason: 'BrokenStream' });
  });

  it('throws when the connection of a stream is reset', async () => {
    const server = await serve(
      (_request, response) => {
        response.writeHead(200);
        response.write('{"a":1}\n');
      },
      { protocol },
    );
    const client = clientOf(server.cluster);
    const lines: string[] = [];

    const error = await failure(
      (async () => {
        for await (const line of client.lines(get('/w'), stream())) {
          lines.push(Buffer.from(line).toString());
          for (const socket of server.sockets) socket.resetAndDestroy();
        }
      })(),
    );

    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ status: 0 });
    expect(lines).toEqual(['{"a":1}']);
  });

  it('ends a silent stream with reason Idle', async () => {
    const server = await serve(
      (_request, response) => {
        response.writeHead(200);
        response.write('{"a":1}\n');
      },
      { protocol },
    );
    const client = clientOf(server.cluster);

    const error = await failure(collect(client.lines(get('/w'), stream({ idleTimeoutMs: 50 }))));

    expect(error).toMatchObject({ status: 0, reason: 'Idle', isRetryable: true });
  });

  it('gives up a request that gets no answer in its time', async () => {
    const server = await serve(() => {}, { protocol });
    const client = clientOf(server.cluster);

    const error = await failure(client.request({ ...get('/slow'), timeoutMs: 50 }, never));

    expect(error).toMatchObject({ status: 0, reason: 'Timeout', message: 'GET /slow: no answer within 0.05 s' });
  });

  it('rejects with the reason of an abort, before, while waiting and while reading', async () => {
    const server = await serve(
      (request, response) => {
        if (request.url !== '/w') return;
        response.writeHead(200);
        response.write('{"a":1}\n');
      },
      { protocol },
    );
    const client = clientOf(server.cluster);
    const [before, waiting, reading] = [new Error('before'), new Error('waiting'), new Error('reading')];
    const controllers = { waiting: new AbortController(), reading: new AbortController() };

    const errorBefore = await failure(client.request(get('/slow'), AbortSignal.abort(before)));
    const slow = failure(client.request(get('/slow'), controllers.waiting.signal));
    await expect.poll(() => server.asked, { timeout: 15_000, interval: 10 }).toContain('GET /slow');
    controllers.waiting.abort(waiting);
    const watch = failure(
      collect(
        client.lines(
          get('/w'),
          stream({ signal: controllers.reading.signal, onData: () => controllers.reading.abort(reading) }),
        ),
      ),
    );

    expect([errorBefore, await slow, await watch]).toEqual([before, waiting, reading]);
  });

  it('gives the connection back when the reader leaves a stream early', async () => {
    let closed = 0;
    const server = await serve(
      (request, response) => {
        request.once('close', () => closed++);
        response.writeHead(200);
        response.write('{"a":1}\n{"b":2}\n');
      },
      { protocol },
    );
    const client = clientOf(server.cluster);

    for await (const line of client.lines(get('/w'), stream())) {
      expect(line.length).toBeGreaterThan(0);
      break;
    }

    await expect.poll(() => closed, { timeout: 15_000, interval: 10 }).toBe(1);
  });

  it('reports each request with a template of its path, its code and its time', async () => {
    const reports: RequestReport[] = [];
    const server = await serve(
      (request, response) => {
        if (request.url !== '/slow') json(response, request.url?.endsWith('/b') === true ? 200 : 404, {});
      },
      { protocol },
    );
    const client = clientOf(server.cluster, { onRequest: (report) => reports.push(report) });

    await client.request(get('/api/v1/namespaces/a/pods/b'), never);
    await failure(client.request(get('/api/v1/namespaces/a/pods/c'), never));
    await failure(client.request({ ...get('/slow'), timeoutMs: 20 }, never));
    await failure(client.request(get('/x'), AbortSignal.abort()));

    expect(reports.map(({ verb, url, code }) => `${verb} ${url} ${code}`)).toEqual([
      'GET /api/v1/namespaces/{namespace}/pods/{name} 200',
      'GET /api/v1/namespaces/{namespace}/pods/{name} 404',
      'GET /slow <error>',
    ]);
    expect(reports.every(({ seconds }) => seconds > 0 && seconds < 10)).toBe(true);
  });

  it('leaves nothing behind after 300 requests and 50 aborted streams', async () => {
    const server = await serve(
      (request, response) => {
        if (request.url === '/version') json(response, 200, {});
        else {
          response.writeHead(200);
          response.write('{"a":1}\n');
        }
      },
      { protocol },
    );
    const client = clientOf(server.cluster);
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };

    for (let count = 0; count < 300; count++) await client.request(get('/version'), signal);
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const own = new AbortController();
        await failure(collect(client.lines(get('/w'), stream({ signal: own.signal, onData: () => own.abort() }))));
      }),
    );
    await client.request(get('/version'), signal);

    expect(listeners).toBe(0);
    await expect.poll(() => server.sockets.size, { timeout: 15_000, interval: 10 }).toBeLessThanOrEqual(1);
  });
});

describe('a client', () => {
  it('repeats a GET once when the server had closed the kept connection', async () => {
    let count = 0;
    const server = await serve((request, response) => {
      count += 1;
      if (count === 2) request.socket.resetAndDestroy();
      else json(response, 200, { count });
    });
    const client = clientOf(server.cluster);
    await client.request(get('/version'), never);

    const answer = await client.request(get('/version'), never);

    expect(answer).toEqual({ count: 3 });
  });

  it('does not repeat a POST whose connection broke', async () => {
    let count = 0;
    const server = await serve((request, response) => {
      count += 1;
      if (request.method === 'POST') request.socket.resetAndDestroy();
      else json(response, 200, {});
    });
    const client = clientOf(server.cluster);
    await client.request(get('/version'), never);

    const error = await failure(client.request({ method: 'POST', path: '/x', body: '{}' }, never));

    expect(error).toMatchObject({ status: 0, reason: 'ECONNRESET', isRetryable: true });
    expect(count).toBe(2);
  });

  it('names the address where nobody listens', async () => {
    const server = await startServer(() => {});
    await server.close();
    const client = clientOf(server.cluster);

    const error = await failure(client.request(get('/version'), never));

    expect(error).toMatchObject({ status: 0, reason: 'ECONNREFUSED', isRetryable: true });
    expect(String(error)).toContain(`GET /version: no answer from ${server.url.origin}: `);
  });

  it('reports that the server certificate is not trusted', async () => {
    const server = await serve(() => {}, { protocol: 'https' });
    const client = clientOf(createCluster({ name: 'test', server: server.url }, []));

    const error = await failure(client.request(get('/version'), never));

    expect(String(error)).toMatch(/the server's certificate is not trusted: .*certificate-authority/);
  });

  it('puts the path of the server before its own', async () => {
    const server = await serve((request, response) => json(response, 200, request.url));
    const client = clientOf({ ...server.cluster, server: new URL('/k8s/clusters/c-1/', server.url) });

    expect(await client.request(get('/version'), never)).toBe('/k8s/clusters/c-1/version');
  });

  it('limits requests per second when configured, and reports how long they waited', async () => {
    const server = await serve((_request, response) => json(response, 200, {}));
    const waits: number[] = [];
    const onLimited = ({ seconds }: { readonly seconds: number }): void => {
      waits.push(seconds);
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const client = clientOf(server.cluster, { qps: 100, burst: 1, onLimited });

    const answers = Array.from({ length: 6 }, () => client.request(get('/version'), never));
    await vi.advanceTimersByTimeAsync(50);
    await Promise.all(answers);

    expect(waits.map((seconds) => Math.round(seconds * 1000))).toEqual([0, 10, 20, 30, 40, 50]);
  });

  it('fails a watch and a request under way within 5 s of the moment at which their HTTP/2 connection went silent', async () => {
    const server = await serve(held, { protocol: 'h2' });
    const relay = await startRelay(server.port);
    cleanups.push(() => relay.close());
    const url = new URL(`https://127.0.0.1:${relay.port}`);
    const client = clientOf({ ...server.cluster, server: url });
    const watch = collectFrom(client);
    await watch.opened;
    const request = failure(client.request({ method: 'POST', path: '/held', body: '{}' }, never));
    await expect.poll(() => server.asked, { interval: 10 }).toContain('POST /held');

    relay.freeze();
    const frozenAtMs = performance.now();
    const errors = await Promise.all([watch.failure, request]);
    const noticedMs = performance.now() - frozenAtMs;

    expect(errors.map(String)).toEqual([
      expect.stringContaining('while another connection is answered'),
      expect.stringContaining('while another connection is answered'),
    ]);
    expect(noticedMs).toBeLessThan(5000);
    expect(await client.request(get('/version'), never)).toEqual({});
    expect(server.connections()).toBe(2);
  });

  it('fails a watch and a request under way within 5 s of the moment at which the path of HTTP/1.1 went silent', async () => {
    const server = await serve(held, { protocol: 'https' });
    const relay = await startRelay(server.port);
    cleanups.push(() => relay.close());
    const url = new URL(`https://127.0.0.1:${relay.port}`);
    const client = clientOf({ ...server.cluster, server: url });
    const watch = collectFrom(client);
    await watch.opened;
    const request = failure(client.request({ method: 'POST', path: '/held', body: '{}' }, never));
    // The connection of the probes is open and was answered.
    await expect.poll(() => server.asked, { interval: 10, timeout: 5000 }).toContain('GET /version');
    await new Promise((resolve) => setTimeout(resolve, 100));

    relay.freeze();
    const frozenAtMs = performance.now();
    const errors = await Promise.all([watch.failure, request]);
    const noticedMs = performance.now() - frozenAtMs;

    expect(errors.map(String)).toEqual([
      expect.stringContaining('while another connection is answered'),
      expect.stringContaining('while another connection is answered'),
    ]);
    expect(noticedMs).toBeLessThan(5000);
  });

  it('keeps an HTTP/2 watch whose server answers late for seconds, on every connection', async () => {
    const server = await serve(held, { protocol: 'h2' });
    const relay = await startSoakRelay(server.port);
    cleanups.push(() => relay.close());
    const url = new URL(`https://127.0.0.1:${relay.port}`);
    const pulseTimes = { pingEveryMs: 200, doubtAfterMs: 50, giveUpAfterMs: 60_000 };
    const client = clientOf({ ...server.cluster, server: url }, { pulseTimes });
    const watch = collectFrom(client);
    await watch.opened;

    relay.delay(150);
    await expect.poll(() => server.connections(), { interval: 10, timeout: 10_000 }).toBeGreaterThan(1);
    const isOver = await Promise.race([
      watch.failure,
      new Promise((resolve) => setTimeout(() => resolve('still open'), 2500)),
    ]);

    expect(isOver).toBe('still open');
  });

  it('keeps an HTTP/2 stream that is only silent', async () => {
    const server = await serve(held, { protocol: 'h2' });
    const pulseTimes = { pingEveryMs: 20, doubtAfterMs: 1000, giveUpAfterMs: 2000 };
    const client = clientOf(server.cluster, { pulseTimes });
    const watch = collectFrom(client);
    await watch.opened;
    let pings = 0;
    [...server.sessions][0]?.on('ping', () => {
      pings += 1;
    });

    await expect.poll(() => pings, { interval: 10, timeout: 5000 }).toBeGreaterThan(10);

    expect(server.connections()).toBe(1);
    expect(server.sockets.size).toBe(1);
  });
});

/** Answers `/version`, begins a stream, and never answers `/held`. */
const held: Answer = (request, response) => {
  if (request.url === '/version') json(response, 200, {});
  else if (request.url !== '/held') {
    response.writeHead(200);
    response.write('{"a":1}\n');
  }
};

/** A watch: when its first line arrived, and how it ended. */
function collectFrom(client: KubeClient): { readonly opened: Promise<void>; readonly failure: Promise<unknown> } {
  const { promise: opened, resolve: onData } = Promise.withResolvers<void>();
  const options = stream({ onData, idleTimeoutMs: 60_000 });
  return { opened, failure: failure(collect(client.lines(get('/w'), options))) };
}
