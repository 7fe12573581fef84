import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KINDS, heldHandler, httpRig } from '../support/http-rig.ts';
import { within } from '../support/within.ts';

const LARGE = Buffer.alloc(32 * 2 ** 20, 'x');

describe.each(KINDS)('the server over %s', (kind) => {
  it('hands a route the request with its body, and sends what it returns', async () => {
    const { ask } = await httpRig({
      kind,
      maxBodyBytes: 100,
      handle: ({ method, path, query, host, headers, body }) => ({
        status: 201,
        type: 'text/x-test',
        body: `${method} ${path} ${query.get('a')} ${host !== undefined} ${headers['x-one'] === '1'} ${body.toString()}`,
        headers: { 'x-more': 'yes' },
      }),
    });

    const answer = await ask({ method: 'POST', path: '/p?a=b', headers: { 'x-one': '1' }, body: 'hello' });

    expect(answer.body.toString()).toBe('POST /p b true true hello');
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/x-test', 'content-length': '25', 'x-more': 'yes' });
  });

  it('answers HEAD with the headers alone', async () => {
    const { ask } = await httpRig({ kind });

    const { status, headers, body } = await ask({ method: 'HEAD' });

    expect({ status, length: headers['content-length'], body: body.toString() }).toEqual({
      status: 200,
      length: '2',
      body: '',
    });
  });

  it('a large answer comes whole', async () => {
    const { ask } = await httpRig({ kind, handle: () => ({ status: 200, type: 'text/plain', body: LARGE }) });

    expect((await ask()).body.equals(LARGE)).toBe(true);
  });

  it('a body of as many bytes as the route reads is taken, and one more gets 413, whether or not its length is announced', async () => {
    const { ask } = await httpRig({
      kind,
      maxBodyBytes: 200_000,
      handle: ({ body }) => ({ status: 200, type: 'text/plain', body: `${body.length}` }),
    });
    const post = async (length: number, headers: Readonly<Record<string, string>>) => {
      const { status, body } = await ask({ method: 'POST', headers, body: Buffer.alloc(length, 'x') });
      return [status, body.toString()];
    };

    expect(await post(200_000, { 'content-length': '200000' })).toEqual([200, '200000']);
    expect(await post(200_000, {})).toEqual([200, '200000']);
    expect(await post(200_001, { 'content-length': '200001' })).toEqual([413, 'the body is longer than 200000 bytes']);
    expect(await post(200_001, {})).toEqual([413, 'the body is longer than 200000 bytes']);
    expect(await post(8_000_000, {})).toEqual([413, 'the body is longer than 200000 bytes']);
  });

  it('no route reads more than the server allows', async () => {
    const bounds = { bodies: { maxBytes: 5, limitMs: 60_000 } };
    const { ask } = await httpRig({ kind, bounds, maxBodyBytes: 100 });

    expect(await ask({ method: 'POST', body: 'hello!' })).toMatchObject({ status: 413 });
  });

  it('a body that is not there after 100 ms gets 408', async () => {
    const bounds = { bodies: { maxBytes: 100, limitMs: 100 } };
    const { begin, failures } = await httpRig({ kind, bounds, maxBodyBytes: 100 });

    const { answer, out } = begin({ method: 'POST', body: 'half', isOpen: true });

    const { status, body } = await answer;
    expect([status, body.toString()]).toEqual([408, 'the body was not received within 0.1 s']);
    await within(5000, () => expect(out.destroyed).toBe(true));
    expect(failures).toEqual([]);
  });

  it('a body that the route does not read is not waited for', async () => {
    const { begin } = await httpRig({
      kind,
      handle: ({ body }) => ({ status: 200, type: 'text/plain', body: `${body.length}` }),
    });

    const { answer, out } = begin({ method: 'POST', body: 'half', isOpen: true });

    expect((await answer).body.toString()).toBe('0');
    await within(5000, () => expect(out.destroyed).toBe(true));
  });

  it('a request above 2 at once gets 503 with a Retry-After, and one after them is answered', async () => {
    const { handle, release, requests } = heldHandler();
    const { ask, begin } = await httpRig({ kind, bounds: { maxConcurrent: 2 }, handle });
    const open = [begin({}), begin({})];
    await within(5000, () => expect(requests).toHaveLength(2));

    const third = await ask();

    expect(third).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    release();
    expect(await Promise.all(open.map(async ({ answer }) => (await answer).status))).toEqual([200, 200]);
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('a request whose body is being read keeps nobody out', async () => {
    const { ask, begin } = await httpRig({ kind, bounds: { maxConcurrent: 1 }, maxBodyBytes: 100 });
    const first = begin({ method: 'POST', body: 'half', isOpen: true });
    for (let count = 0; count < 3; count++) expect(await ask()).toMatchObject({ status: 200 });

    first.out.end();

    expect(await first.answer).toMatchObject({ status: 200 });
  });

  it.each([
    ['throws', () => JSON.parse('{')],
    ['rejects', async () => Promise.reject(new Error('broken'))],
    ['answers with a status that there is not', () => ({ status: 9999, type: 'text/plain', body: '' })],
  ])('a handler that %s is reported, and the client gets 500', async (_, handle) => {
    const { ask, failures } = await httpRig({ kind, handle });

    const { status, body } = await ask();

    expect([status, body.toString()]).toEqual([500, 'internal error']);
    expect(failures).toHaveLength(1);
  });

  it('a handler that has not answered after 100 ms is aborted, its request ends, and its room is given to others', async () => {
    const { handle, requests } = heldHandler();
    const { begin, failures } = await httpRig({ kind, bounds: { answerLimitMs: 100, maxConcurrent: 1 }, handle });

    await expect(begin({}).answer).rejects.toThrow();

    expect(requests[0]?.signal.reason).toEqual(new Error('no answer within 0.1 s'));
    await within(5000, async () => {
      await begin({}).answer.catch(() => {});
      expect(requests.length).toBeGreaterThan(1);
    });
    expect(failures).toEqual([]);
  });

  it('a handler is aborted when its client disconnects, and may reject with that', async () => {
    const { begin, failures, server } = await httpRig({
      kind,
      handle: async ({ signal }) => {
        signals.push(signal);
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener('abort', () => reject(signal.reason));
        return promise;
      },
    });
    const signals: AbortSignal[] = [];
    const { out } = begin({});
    await within(5000, () => expect(signals).toHaveLength(1));

    out.destroy();

    await within(5000, () => expect(signals[0]?.reason).toEqual(new Error('the client has disconnected')));
    await server.close();
    expect(failures).toEqual([]);
  });

  it('a handler whose client has disconnected keeps its room until it ends', async () => {
    const { handle, requests, release } = heldHandler();
    const { begin, ask } = await httpRig({ kind, bounds: { maxConcurrent: 1 }, handle });
    const { out } = begin({});
    await within(5000, () => expect(requests).toHaveLength(1));

    out.destroy();

    await within(5000, () => expect(requests[0]?.signal.aborted).toBe(true));
    expect(await ask()).toMatchObject({ status: 503 });
    release();
    await within(5000, async () => expect(await ask()).toMatchObject({ status: 200 }));
  });

  it('a handler that has answered is not aborted when its client disconnects', async () => {
    const signals: AbortSignal[] = [];
    const { ask, server } = await httpRig({
      kind,
      handle: ({ signal }) => {
        signals.push(signal);
        return { status: 200, type: 'text/plain', body: 'ok' };
      },
    });

    await ask();
    await server.close();

    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('closing sends the answer to an open request, and takes no other', async () => {
    const { handle, release, requests } = heldHandler();
    const { begin, ask, server } = await httpRig({ kind, handle });
    const { answer } = begin({});
    await within(5000, () => expect(requests).toHaveLength(1));

    const closing = server.close();
    release();

    expect((await answer).body.toString()).toBe('late');
    await closing;
    await expect(ask()).rejects.toThrow();
    expect(requests).toHaveLength(1);
  });

  it('closing ends an open request whose handler does not end, after a moment', async () => {
    const { handle, requests } = heldHandler();
    const { begin, server } = await httpRig({ kind, handle });
    const { answer } = begin({});
    await within(5000, () => expect(requests).toHaveLength(1));

    const startedAtMs = performance.now();
    await server.close();

    expect(performance.now() - startedAtMs).toBeGreaterThan(400);
    await expect(answer).rejects.toThrow();
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  it('closing waits for no client that has been answered', async () => {
    const { ask, server } = await httpRig({ kind });
    await ask();

    const startedAtMs = performance.now();
    await server.close();

    expect(performance.now() - startedAtMs).toBeLessThan(400);
  });
});

it('the socket file goes with the server, which may be closed twice', async () => {
  const { listen, server } = await httpRig({ kind: 'unix' });
  const path = listen.type === 'unix' ? listen.path : '';
  expect(existsSync(path)).toBe(true);

  await server.close();
  await server.close();

  expect(existsSync(path)).toBe(false);
});
