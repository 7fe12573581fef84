import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpRoute } from '../../src/server/answering.ts';
import { httpRig, type HttpRigOptions } from '../support/http-rig.ts';
import { within } from '../support/within.ts';

const LARGE = Buffer.alloc(32 * 2 ** 20, 'x');
const bounds = { maxConnections: 4, maxPending: 3 };
const answerLarge: HttpRoute['handle'] = () => ({ status: 200, type: 'text/plain', body: LARGE });

async function rig(kind: 'tcp' | 'tls', options: HttpRigOptions = {}) {
  const { server, certificate } = await httpRig({ ...options, kind, bounds: { ...bounds, ...options.bounds } });
  const open = async (): Promise<Client> => {
    const where = { host: '127.0.0.1', port: server.port };
    const socket = kind === 'tcp' ? connect(where) : connectTls({ ...where, ca: certificate.cert });
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, kind === 'tcp' ? 'connect' : 'secureConnect');
    return new Client(socket);
  };
  return { open, close: async () => server.close() };
}

class Client {
  readonly socket: Socket;
  readonly closed: Promise<void>;

  constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve());
    });
  }

  /** The text up to the end of the first answer, `ok`. */
  async ask(request = get): Promise<string> {
    this.socket.write(request);
    let text = '';
    while (!text.includes('ok')) text += String((await once(this.socket, 'data'))[0]);
    return text;
  }
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe.each(['tcp', 'tls'] as const)('HTTP/1.1 over %s', (kind) => {
  it('a connection above 4 takes the place of the one that was silent longest', async () => {
    const { open } = await rig(kind);
    const [first, second, third, fourth] = [await open(), await open(), await open(), await open()];
    await first.ask();

    const fifth = await open();

    expect(await fifth.ask()).toContain('200 OK');
    await second.closed;
    expect(await Promise.all([first, third, fourth].map(async (client) => client.ask()))).toHaveLength(3);
  });

  it('a new connection is answered although 4 others do not read what they asked for', async () => {
    const { open } = await rig(kind, {
      handle: ({ path }) => ({ status: 200, type: 'text/plain', body: path === '/' ? 'ok' : LARGE }),
    });
    for (const _ of Array.from({ length: 4 })) (await open()).socket.pause().write(get.replace('/', '/large'));

    expect(await (await open()).ask()).toContain('200 OK');
  });

  it('the fourth request that waits on one connection with room for 3 ends it, and is not handled', async () => {
    const handled: string[] = [];
    const three = Promise.withResolvers<void>();
    const never = Promise.withResolvers<never>();
    const { open } = await rig(kind, {
      handle: async ({ path }) => {
        if (handled.push(path) === 3) three.resolve();
        return never.promise;
      },
    });
    const client = await open();

    client.socket.write(get.repeat(3));
    await three.promise;
    client.socket.write(get);

    await client.closed;
    expect(handled).toHaveLength(3);
  });

  it('a piece with more requests than 3 ends the connection before any of them is made', async () => {
    const { open } = await rig(kind);
    const made = countRequests();
    const client = await open();

    client.socket.write(get.repeat(500));

    await client.closed;
    expect(made.count).toBe(0);
  });

  it('of a piece with more requests than 3 no more than 6 are made where bodies are read', async () => {
    const { open } = await rig(kind, { maxBodyBytes: 100 });
    const made = countRequests();
    const client = await open();

    client.socket.write(get.repeat(500));

    await client.closed;
    expect(made.count).toBeLessThanOrEqual(6);
  });

  it('a body may have what looks like the ends of requests', async () => {
    const body = 'GET / HTTP/1.1\r\n\r\n'.repeat(500);
    const { open } = await rig(kind, {
      maxBodyBytes: 100_000,
      handle: (request) => ({ status: 200, type: 'text/plain', body: `${request.body.toString() === body} ok` }),
    });
    const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const client = await open();

    expect(await client.ask(post)).toContain('true ok');
    expect(await client.ask(post)).toContain('true ok');
  });

  it('requests one after another are not counted together', async () => {
    const { open } = await rig(kind);
    const client = await open();

    for (const _ of Array.from({ length: 20 })) expect(await client.ask()).toContain('200 OK');
  });

  it('an answer that is not read within its 100 ms ends the connection', async () => {
    const { open } = await rig(kind, { bounds: { answerLimitMs: 100 }, handle: answerLarge });
    const client = await open();
    client.socket.pause().write(get);

    const closing = Promise.withResolvers<void>();
    setTimeout(() => {
      client.socket.resume();
      closing.resolve();
    }, 400);
    await closing.promise;

    await client.closed;
    expect(client.socket.bytesRead).toBeLessThan(LARGE.length);
  });

  it('requests that wait behind another get the signal that their client has disconnected', async () => {
    const signals: AbortSignal[] = [];
    const three = Promise.withResolvers<void>();
    const never = Promise.withResolvers<never>();
    const { open } = await rig(kind, {
      handle: async ({ signal }) => {
        if (signals.push(signal) === 3) three.resolve();
        return never.promise;
      },
    });
    const client = await open();
    client.socket.write(get.repeat(3));
    await three.promise;

    client.socket.destroy();

    await within(5000, () => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]));
  });

  it.each([
    ['nothing', ''],
    ['half a line', 'GET / HT'],
    ['headers without an end', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ])('a client that sends %s is gone after its 50 ms', async (_, text) => {
    const { open } = await rig(kind, { bounds: { headersLimitMs: 50 } });
    const client = await open();
    client.socket.resume().write(text);

    await client.closed;
  });

  it('a body is not waited for, and nothing may follow it', async () => {
    const { open } = await rig(kind);
    const client = await open();

    const answer = await client.ask('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nx');

    expect(answer).toContain('connection: close');
    await client.closed;
  });

  it('a client that reads only when it has sent all of a body that is too long gets the answer', async () => {
    const { open } = await rig(kind, { maxBodyBytes: 100 });
    const client = await open();
    client.socket.pause().write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${8 * 2 ** 20}\r\n\r\n`);

    await new Promise((resolve) => {
      client.socket.write(LARGE.subarray(0, 8 * 2 ** 20), resolve);
    });

    expect(await text(client.socket)).toContain('the body is longer than 100 bytes');
  });

  it('a client that half-closes gets its answer and is gone', async () => {
    const { open } = await rig(kind);
    const client = await open();
    const answer = client.ask();

    client.socket.end();

    expect(await answer).toContain('200 OK');
    await client.closed;
  });

  it('ends at once although clients are connected that ask nothing, or wait for more to ask', async () => {
    const { open, close } = await rig(kind);
    const [silent, idle, slow] = [await open(), await open(), await open()];
    await idle.ask();
    slow.socket.write('GET / HT');
    await idle.ask();

    const startedAtMs = performance.now();
    await close();

    // Less than the time that pending requests get: none is pending.
    expect(performance.now() - startedAtMs).toBeLessThan(400);
    await Promise.all([silent.closed, idle.closed, slow.closed]);
  });

  it('ends although an answer is never read', async () => {
    const asked = Promise.withResolvers<void>();
    const { open, close } = await rig(kind, {
      handle: (request) => {
        asked.resolve();
        return answerLarge(request);
      },
    });
    const client = await open();
    client.socket.pause().write(get);
    await asked.promise;

    await close();

    client.socket.resume();
    await client.closed;
    expect(client.socket.bytesRead).toBeLessThan(LARGE.length);
  });
});

/** Counts the requests that Node creates from now on. */
function countRequests(): { count: number } {
  const made = { count: 0 };
  const count = (): void => {
    made.count += 1;
  };
  subscribe('http.server.request.start', count);
  onTestFinished(() => void unsubscribe('http.server.request.start', count));
  return made;
}
