import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { HttpServer } from '../../src/server/http-server.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map(async (stop) => stop()));
});

describe('the server', () => {
  it('serves metrics in the format of Prometheus', async () => {
    const { port } = await start({ metricsText: () => 'a 1\n' });

    const { status, headers, body } = await get(port, '/metrics');

    expect({ status, body }).toEqual({ status: 200, body: 'a 1\n' });
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('answers HEAD with the headers alone', async () => {
    const { port } = await start({ metricsText: () => 'a 1\n' });

    const { status, headers, body } = await get(port, '/metrics', { method: 'HEAD' });

    expect({ status, body, length: headers['content-length'] }).toEqual({ status: 200, body: '', length: '4' });
  });

  it('answers 404 for an unknown path', async () => {
    const { port } = await start({});

    expect(await get(port, '/nothing?a=b')).toMatchObject({ status: 404, body: 'nothing at /nothing\n' });
  });

  it('refuses to be written to', async () => {
    const { port } = await start({});

    const { status, headers } = await get(port, '/metrics', { method: 'POST' });

    expect({ status, allow: headers['allow'] }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });

  it('survives a page that fails, and logs why', async () => {
    const { port, log } = await start({
      metricsText: () => {
        throw new Error('broken collector');
      },
    });

    expect(await get(port, '/metrics')).toMatchObject({ status: 500, body: 'internal error\n' });
    expect(log.lines).toMatchObject([{ level: 'error', message: 'request failed', fields: { url: '/metrics' } }]);
    expect(await get(port, '/healthz')).toMatchObject({ status: 200 });
  });

  it('fails with advice when its port is taken', async () => {
    const { port } = await start({});

    const second = createServer(optionsWith({ port }));

    await expect(second).rejects.toThrow(UsageError);
    await expect(second).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another process listens there; stop it, or choose another port with --listen-port`,
    );
  });

  it('fails with advice when the machine has no such address', async () => {
    await expect(createServer(optionsWith({ address: '192.0.2.1' }))).rejects.toThrow(
      'cannot listen on 192.0.2.1:0: this machine has no such address; choose another with --listen-address',
    );
  });

  it('answers at every address of the machine where it listens on 0.0.0.0, as programs in Go do', async () => {
    const { port } = await start({ address: '0.0.0.0' });
    const addresses = Object.values(networkInterfaces()).flatMap((ones = []) =>
      ones.filter(({ internal }) => internal),
    );

    const answers = addresses.map(async ({ address: host }) => (await get(port, '/healthz', { host })).status);

    expect(answers.length).toBeGreaterThan(0);
    expect(await Promise.all(answers)).toEqual(addresses.map(() => 200));
  });

  it('ends although clients keep their connections', async () => {
    const { port, stop } = await start({});
    const agent = new Agent({ keepAlive: true });
    await get(port, '/healthz', { agent });
    expect(Object.keys(agent.freeSockets)).toHaveLength(1);

    await stop();

    agent.destroy();
    await expect(get(port, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });

  it('sends the answers it is at before it ends', async () => {
    const asked = Promise.withResolvers<void>();
    const text = Promise.withResolvers<string>();
    const { port, stop } = await start({
      metricsText: async () => {
        asked.resolve();
        return text.promise;
      },
    });
    const answer = get(port, '/metrics');
    await asked.promise;

    const stopped = stop();
    text.resolve('late 1\n');

    expect(await answer).toMatchObject({ body: 'late 1\n' });
    await stopped;
  });

  it('answers a probe, and takes little memory, while 200 connections ask for pages and never read', async () => {
    const page = 'a 1\n'.repeat(250_000);
    let built = 0;
    const { port } = await start({
      metricsText: () => {
        built += 1;
        return `${page}b ${built}\n`;
      },
    });
    const before = memoryBytes();
    const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });

    for (const socket of sockets) socket.pause().write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1500));
    for (const _ of Array.from({ length: 5 })) expect(await get(port, '/healthz')).toMatchObject({ status: 200 });

    expect(memoryBytes() - before).toBeLessThan(100e6);
    expect(built).toBeLessThan(20);
  });

  it('answers for any host unless its own names are configured', async () => {
    const open = await start({});
    const { port } = await start({ isHostAllowed: (host) => host?.startsWith('localhost:') === true });

    expect(await get(open.port, '/healthz', { headers: { host: 'evil.example' } })).toMatchObject({ status: 200 });
    expect(await get(port, '/healthz', { headers: { host: 'evil.example' } })).toMatchObject({ status: 421 });
    expect(await get(port, '/healthz', { headers: { host: `localhost:${port}` } })).toMatchObject({ status: 200 });
  });

  it('ends although a client never finishes its request', async () => {
    const { port, stop } = await start({});
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => {
      socket.write('GET /metrics HTTP/1.1\r\nHost:', () => resolve());
    });
    await get(port, '/healthz');

    await stop();

    await closed;
  });
});

async function start(overrides: Partial<ServerOptions>) {
  const options = optionsWith(overrides);
  const server: HttpServer = await createServer(options);
  const controller = new AbortController();
  const running = server.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
  };
  stops.push(stop);
  return { port: server.port, stop, log: options.log };
}

function optionsWith(overrides: Partial<ServerOptions>) {
  return {
    address: '127.0.0.1',
    port: 0,
    metricsText: () => '',
    hookMetricsText: () => '',
    health: () => ({ checks: [] }),
    webhookHealth: () => ({ checks: [] }),
    ...overrides,
    log: recordingLogger(),
  };
}

function memoryBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function get(
  port: number,
  path: string,
  {
    method = 'GET',
    agent,
    host = '127.0.0.1',
    headers,
  }: {
    readonly method?: string;
    readonly agent?: Agent;
    readonly host?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host, port, path, method, agent: agent ?? false, ...(headers && { headers }) },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      },
    );
    request.on('error', reject);
    request.end();
  });
}
