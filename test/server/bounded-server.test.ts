import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBoundedServer, type ServerBounds } from '../../src/server/bounded-server.ts';

const LARGE = Buffer.alloc(32 * 2 ** 20, 'x');
const bounds: ServerBounds = { maxConnections: 4, maxPending: 3, headersLimitMs: 60_000, answerLimitMs: 60_000 };

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function rig(overrides: Partial<ServerBounds> = {}, handle: Handle = (_, response) => response.end('ok')) {
  const bounded = createBoundedServer({ ...bounds, ...overrides }, handle);
  bounded.server.listen(0, '127.0.0.1');
  await once(bounded.server, 'listening');
  onTestFinished(bounded.close);
  const address = bounded.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { ...bounded, open: async () => opened(port) };
}

async function opened(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return new Client(socket);
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

describe('a bounded server', () => {
  it('a connection above 4 takes the place of the one that was silent longest', async () => {
    const { open } = await rig();
    const [first, second, third, fourth] = [await open(), await open(), await open(), await open()];
    await first.ask();

    const fifth = await open();

    expect(await fifth.ask()).toContain('200 OK');
    await second.closed;
    expect(await Promise.all([first, third, fourth].map(async (client) => client.ask()))).toHaveLength(3);
  });

  it('a new connection is answered although 4 others do not read what they asked for', async () => {
    const { open } = await rig({}, (request, response) => response.end(request.url === '/' ? 'ok' : LARGE));
    for (const _ of Array.from({ length: 4 })) (await open()).socket.pause().write(get.replace('/', '/large'));

    expect(await (await open()).ask()).toContain('200 OK');
  });

  it('the fourth request that waits on one connection with room for 3 ends it, and is not handled', async () => {
    const handled: string[] = [];
    const three = Promise.withResolvers<void>();
    const { open } = await rig({}, (request) => {
      if (handled.push(request.url ?? '') === 3) three.resolve();
    });
    const client = await open();

    client.socket.write(get.repeat(3));
    await three.promise;
    client.socket.write(get);

    await client.closed;
    expect(handled).toHaveLength(3);
  });

  it('a piece with more requests than 3 ends the connection before any of them is made', async () => {
    const { open, server } = await rig();
    let made = 0;
    server.prependListener('request', () => {
      made += 1;
    });
    const client = await open();

    client.socket.write(get.repeat(2000));

    await client.closed;
    expect(made).toBe(0);
  });

  it('requests one after another are not counted together', async () => {
    const { open } = await rig();
    const client = await open();

    for (const _ of Array.from({ length: 20 })) expect(await client.ask()).toContain('200 OK');
  });

  it('an answer that is not read within its 100 ms ends the connection', async () => {
    const { open } = await rig({ answerLimitMs: 100 }, (_, response) => response.end(LARGE));
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

  it('an answer that never comes ends the connection after its 50 ms', async () => {
    const { open } = await rig({ answerLimitMs: 50 }, () => {});
    const client = await open();
    client.socket.write(get);

    await client.closed;
  });

  it.each([
    ['nothing', ''],
    ['half a line', 'GET / HT'],
    ['headers without an end', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ])('a client that sends %s is gone after its 50 ms', async (_, text) => {
    const { open } = await rig({ headersLimitMs: 50 });
    const client = await open();
    client.socket.resume().write(text);

    await client.closed;
  });

  it('a body is not waited for, and nothing may follow it', async () => {
    const { open } = await rig();
    const client = await open();

    const answer = await client.ask('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nx');

    expect(answer).toContain('connection: close');
    await client.closed;
  });

  it('a client that half-closes gets its answer and is gone', async () => {
    const { open } = await rig();
    const client = await open();
    const answer = client.ask();

    client.socket.end();

    expect(await answer).toContain('200 OK');
    await client.closed;
  });

  it('ends at once although clients are connected that ask nothing, or wait for more to ask', async () => {
    const { open, close } = await rig();
    const [silent, idle, slow] = [await open(), await open(), await open()];
    await idle.ask();
    slow.socket.write('GET / HT');
    await idle.ask();

    const startedAtMs = performance.now();
    await close();

    // Below the time that open answers get: none is open.
    expect(performance.now() - startedAtMs).toBeLessThan(400);
    await Promise.all([silent.closed, idle.closed, slow.closed]);
  });

  it('ends although an answer is never read', async () => {
    const asked = Promise.withResolvers<void>();
    const { open, close } = await rig({}, (_, response) => {
      response.end(LARGE);
      asked.resolve();
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
