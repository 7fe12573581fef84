import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpRoute } from '../../src/server/answering.ts';
import { heldHandler, httpRig, type HttpRigOptions } from '../support/http-rig.ts';
import { within } from '../support/within.ts';

const LARGE = Buffer.alloc(32 * 2 ** 20, 'x');
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
// Frames: length, type, flags, stream, payload.
const SETTINGS = Buffer.from('000000040000000000', 'hex');
/** The client accepts 2 GiB per stream. */
const WIDE_SETTINGS = Buffer.from('00000604000000000000047fffffff', 'hex');
/** The client accepts 1 GiB more on the connection. */
const WINDOW_UPDATE = Buffer.from('00000408000000000040000000', 'hex');
/** A frame without END_HEADERS. */
const HALF_HEADERS = Buffer.from('00000101000000000182', 'hex');
/** `GET https://x/large`, without a body. */
const GET_LARGE = Buffer.concat([
  Buffer.from('00000d0105000000018287010178', 'hex'),
  Buffer.from('\u0004\u0006/large'),
]);
const handleByPath: HttpRoute['handle'] = ({ path }) => ({
  status: 200,
  type: 'text/plain',
  body: path === '/large' ? LARGE : 'ok',
});

async function rig(options: HttpRigOptions = {}) {
  const made = await httpRig({ handle: handleByPath, ...options, kind: 'tls with HTTP/2' });
  const { server, certificate } = made;
  return {
    ...made,
    open: (): Client => new Client(connect(`https://127.0.0.1:${server.port}`, { ca: certificate.cert })),
    openRaw: async (): Promise<TLSSocket> => {
      const where = { host: '127.0.0.1', port: server.port, ca: certificate.cert, ALPNProtocols: ['h2'] };
      const socket = connectTls(where).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      await once(socket, 'secureConnect');
      return socket;
    },
  };
}

class Client {
  readonly session: ClientHttp2Session;
  readonly closed: Promise<void>;

  constructor(session: ClientHttp2Session) {
    this.session = session.on('error', () => {});
    this.closed = new Promise((resolve) => {
      session.once('close', () => resolve());
    });
    onTestFinished(() => session.destroy());
  }

  request(path = '/'): ClientHttp2Stream {
    return this.session.request({ ':path': path }).on('error', () => {});
  }

  async ask(path = '/'): Promise<number | undefined> {
    const stream = this.request(path).resume();
    let status: number | undefined;
    stream.once('response', (headers) => {
      status = headers[':status'];
    });
    await closed(stream);
    return status;
  }
}

/** The code that a stream was closed with. */
async function closed(stream: ClientHttp2Stream): Promise<number | undefined> {
  return new Promise((resolve) => {
    stream.resume().once('close', () => resolve(stream.rstCode));
  });
}

describe('HTTP/2', () => {
  it('sessions are counted: one above 4 takes the place of the one that was silent longest', async () => {
    const { open } = await rig({ bounds: { maxConnections: 4 } });
    const [first, second, third, fourth] = [open(), open(), open(), open()];
    for (const client of [first, second, third, fourth]) await client.ask();
    await first.ask();

    const fifth = open();

    expect(await fifth.ask()).toBe(200);
    await second.closed;
    for (const client of [first, third, fourth]) expect(await client.ask()).toBe(200);
  });

  it('of 10 requests at once on a session with room for 3 no more than 3 are handled, and others are refused', async () => {
    const { handle, requests, release } = heldHandler();
    const { open } = await rig({ bounds: { maxPending: 3 }, handle });
    const client = open();

    const streams = Array.from({ length: 10 }, () => client.request());

    // REFUSED_STREAM.
    expect(await Promise.all(streams.slice(3).map(closed))).toEqual(Array.from({ length: 7 }, () => 7));
    expect(requests).toHaveLength(3);
    release();
    expect(await Promise.all(streams.slice(0, 3).map(closed))).toEqual([0, 0, 0]);
  });

  it('a client that goes on to open requests and take them back is ended, and no more of them run than may', async () => {
    const { handle, requests, release } = heldHandler();
    const { open } = await rig({ bounds: { maxConcurrent: 3 }, handle });
    const client = open();
    await once(client.session, 'remoteSettings');

    while (!client.session.destroyed) {
      const stream = client.request();
      await new Promise(setImmediate);
      stream.close(constants.NGHTTP2_CANCEL);
    }

    await client.closed;
    expect(requests.length).toBeLessThanOrEqual(3);
    release();
    expect(await open().ask()).toBe(200);
  });

  it('a session without a request is gone after its 50 ms, although it sends pings', async () => {
    const { open } = await rig({ bounds: { headersLimitMs: 50 } });
    const client = open();
    await once(client.session, 'connect');
    const pings = setInterval(() => client.session.closed || client.session.ping(() => {}), 5);
    onTestFinished(() => clearInterval(pings));

    await client.closed;
  });

  it.each([
    ['nothing', []],
    ['no more than a preface', [PREFACE]],
    ['half of the headers', [PREFACE, SETTINGS, HALF_HEADERS]],
  ])('a client that sends %s is gone after its 50 ms', async (_, pieces) => {
    const { openRaw } = await rig({ bounds: { headersLimitMs: 50 } });
    const socket = await openRaw();

    for (const piece of pieces) socket.write(piece);

    await once(socket.resume(), 'close');
  });

  it('an answer in pieces is complete although the body of its request was not read', async () => {
    const pieces = [Buffer.alloc(300_000, 'a'), Buffer.alloc(10, 'b')];
    const { open } = await rig({ handle: () => ({ status: 200, type: 'text/plain', body: '', pieces }) });
    const stream = open().session.request({ ':method': 'POST' });
    stream.end();

    expect(await buffer(stream)).toHaveLength(300_010);
  });

  it('an answer that is not read within its 100 ms ends the session', async () => {
    const { open } = await rig({ bounds: { answerLimitMs: 100 } });
    const client = open();

    client.request('/large').pause();

    await client.closed;
  });

  it('a client that reads nothing at all is gone after its 100 ms', async () => {
    const { openRaw } = await rig({ bounds: { answerLimitMs: 100 } });
    const socket = (await openRaw()).pause();

    for (const piece of [PREFACE, WIDE_SETTINGS, WINDOW_UPDATE, GET_LARGE]) socket.write(piece);
    await new Promise((resolve) => {
      setTimeout(resolve, 400);
    });

    await once(socket.resume(), 'close');
    expect(socket.bytesRead).toBeGreaterThan(100_000);
    expect(socket.bytesRead).toBeLessThan(LARGE.length);
  });

  it('a handler that does not answer ends its request alone', async () => {
    const never = Promise.withResolvers<never>();
    const { open } = await rig({
      bounds: { answerLimitMs: 200 },
      handle: async ({ path }) => (path === '/' ? { status: 200, type: 'text/plain', body: 'ok' } : never.promise),
    });
    const client = open();

    // INTERNAL_ERROR.
    expect(await closed(client.request('/stuck'))).toBe(2);
    expect(await client.ask()).toBe(200);
  });

  it('headers above 16 KiB, or more than 100, are not taken', async () => {
    const { handle, requests } = heldHandler();
    const { open } = await rig({ handle });
    const client = open();
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const stream = client.session.request({ ':path': '/', ...headers }).on('error', () => {});
      const statuses: unknown[] = [];
      stream.once('response', ({ ':status': status }) => statuses.push(status));
      return [await closed(stream), statuses];
    };

    expect(await ask({ 'x-long': 'x'.repeat(20_000) })).toEqual([0, [431]]);
    // ENHANCE_YOUR_CALM, once the client has acknowledged the limits.
    expect(await ask({ 'x-long': 'x'.repeat(20_000) })).toEqual([11, []]);
    expect(await ask(Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, 'x'])))).toEqual([11, []]);
    expect(requests).toEqual([]);
  });

  it('bodies that are too long do not use up the room of the session', async () => {
    const { ask, failures } = await rig({ maxBodyBytes: 1000 });

    for (const _ of Array.from({ length: 10 })) {
      expect(await ask({ method: 'POST', body: LARGE.subarray(0, 2 ** 20) })).toMatchObject({ status: 413 });
    }

    expect(await ask({ method: 'POST', body: 'short' })).toMatchObject({ status: 200 });
    expect(failures).toEqual([]);
  });

  it('ends at once although sessions are open that ask nothing', async () => {
    const { open, openRaw, server } = await rig();
    const idle = open();
    await idle.ask();
    const silent = (await openRaw()).resume();
    await idle.ask();

    const startedAtMs = performance.now();
    await server.close();

    expect(performance.now() - startedAtMs).toBeLessThan(400);
    await Promise.all([idle.closed, within(5000, () => expect(silent.destroyed).toBe(true))]);
  });

  it('ends although an answer is never read', async () => {
    const { open, server } = await rig();
    const client = open();
    const stream = client.request('/large').pause();
    await once(stream, 'response');

    await server.close();

    await client.closed;
  });
});
