import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JobDesk } from '../../../src/hook/job-desk.ts';
import { MAX_RESULT_BYTES, type RemoteResult } from '../../../src/hook/remote-run.ts';
import { encodeResult } from '../../../src/hook/result-wire.ts';
import { jobPath } from '../../../src/hook/job-wire.ts';
import { encodeLine } from '../../../src/hook/remote-wire.ts';
import { latch } from '../../../src/lib/latch.ts';
import type { JobServerOptions } from '../../../src/server/jobs/job-server.ts';
import { CALLERS, certificate, FakeDesk, JOB, openServer, refused, TOKEN } from '../../support/job-rig.ts';

const MIB = 1024 * 1024;
const FILES = { patch: 'p', metrics: '', admission: '', conversion: '', result: '' };
const RESULT: RemoteResult = { type: 'files', files: FILES };
const LINE = { stream: 'stdout', line: 'a' } as const;

interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly epoch?: string | undefined;
  readonly body?: Uint8Array | string;
}

/** A server, and a way to ask it as a Pod does; absent fields are right. */
async function rig(options: Partial<JobServerOptions> & { readonly desk?: JobDesk } = {}) {
  const fake = new FakeDesk({});
  const server = await openServer(options.desk ?? fake, options);
  const ask = async (path: string, { method = 'GET', ...sent }: Sent = {}) => {
    const { promise, resolve, reject } = latch<{ status: number; body: Buffer; headers: Record<string, unknown> }>();
    const token = 'token' in sent ? sent.token : TOKEN;
    const epoch = 'epoch' in sent ? sent.epoch : '1';
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(epoch !== undefined && { 'hooklet-epoch': epoch }),
    };
    const out = request(`${server.url}${path}`, { method, ca: certificate.cert, headers, agent: false }, (response) => {
      void buffer(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
        reject,
      );
    });
    out.on('error', reject);
    out.end(sent.body);
    return promise;
  };
  const say = async (path: string, sent: Sent = {}) => {
    const { status, body } = await ask(path, sent);
    return `${status} ${body.toString().trim()}`;
  };
  const claim = async (sent: Sent = {}) => say(jobPath(JOB, 'claim'), { method: 'POST', epoch: undefined, ...sent });
  const sendResult = async (body: Uint8Array | string, sent: Sent = {}) =>
    say(jobPath(JOB, 'result'), { method: 'PUT', body, ...sent });
  const sendLines = async (body: string, sent: Sent = {}) =>
    say(jobPath(JOB, 'output'), { method: 'POST', body, ...sent });
  return { desk: fake, server, ask, say, claim, sendResult, sendLines };
}

/** A connection that asks, and never sends what it says it will. */
async function slowly(port: number, head: string): Promise<TLSSocket> {
  const { promise, resolve } = latch();
  const socket = connectTls({ port, host: '127.0.0.1', ca: certificate.cert }, resolve);
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await promise;
  socket.write(head);
  return socket;
}

describe('the server of Jobs', () => {
  it('passes what a Pod asks to the desk, and its answers back', async () => {
    const { desk, ask, claim, say, sendLines, sendResult } = await rig();

    expect(JSON.parse((await claim()).slice('200 '.length))).toEqual(desk.run);
    expect(await say(jobPath(JOB, 'contexts'))).toBe('200 [{"binding":"x"}]');
    expect((await ask(jobPath(JOB, 'contexts'))).headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
    });
    expect(await sendLines(encodeLine(LINE))).toBe('200 ok');
    expect(await say(jobPath(JOB, 'fate'))).toBe('200 {"fate":"waiting"}');
    expect(await sendResult(Buffer.concat(encodeResult(RESULT)))).toBe('200 ok');
    expect(await say(`${jobPath(JOB, 'fate')}?wait=30`)).toBe('200 {"fate":"ended"}');
    expect(desk.lines).toEqual([LINE]);
    expect(desk.results).toEqual([RESULT]);
  });

  it('speaks HTTP/2, and sends 100 MB of contexts as fast as they are read', async () => {
    const desk = new FakeDesk(
      {},
      Array.from({ length: 10 }, () => Buffer.alloc(10_000_000, 'x')),
    );
    const { server, claim } = await rig({ desk });
    await claim();
    const session = connectHttp2(server.url, { ca: certificate.cert });
    onTestFinished(() => session.destroy());
    const headers = { authorization: `Bearer ${TOKEN}`, 'hooklet-epoch': '1' };

    expect(await buffer(session.request({ ':path': jobPath(JOB, 'contexts'), ...headers }))).toHaveLength(100_000_000);
  });

  it.each([403, 404, 409, 410, 503] as const)(
    'passes the refusal %i of the desk on, with its words',
    async (status) => {
      const desk = new FakeDesk({});
      const { ask } = await rig({ desk: desk.answering({ claim: async () => refused(status, 'in words') }) });
      const answer = await ask(jobPath(JOB, 'claim'), { method: 'POST' });

      expect(answer.status).toBe(status);
      expect(answer.body.toString()).toBe('in words\n');
      expect(answer.headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8' });
      expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
    },
  );

  it.each([
    ['/', 'GET', '404 hooklet: nothing is here, expected /v1/jobs/'],
    ['/v1/jobs/No_Label/claim', 'POST', '404 hooklet: nothing is here'],
    [jobPath(JOB, 'claim'), 'GET', '405 hooklet: got GET, expected POST'],
    [jobPath(JOB, 'result'), 'POST', '405 hooklet: got POST, expected PUT'],
    [
      `${jobPath(JOB, 'fate')}?wait=x`,
      'GET',
      '400 hooklet: the query: wait: got "x", expected a whole number of seconds',
    ],
  ])('says what is wrong with %s by %s', async (path, method, answer) => {
    const { say, claim } = await rig();
    await claim();

    expect(await say(path, { method })).toContain(answer);
  });

  it.each([
    [undefined, 'got nothing'],
    ['0', 'got "0"'],
    ['1.5', 'got "1.5"'],
    ['9007199254740992', 'got "9007199254740992"'],
  ])('refuses the epoch %j', async (epoch, received) => {
    const { say } = await rig();

    expect(await say(jobPath(JOB, 'fate'), { epoch })).toBe(
      `400 hooklet: the header Hooklet-Epoch: ${received}, expected the epoch of the claim`,
    );
  });

  it.each([undefined, 'unknown', '', 'two words', 'x'.repeat(8193)])('answers 401 to the token %j', async (token) => {
    const { desk, claim } = await rig();

    expect(await claim({ token })).toMatch(/^401 hooklet: the header Authorization has no token of a Pod/);
    expect(desk.happened).toEqual([]);
  });

  it('answers 503 where a token cannot be reviewed', async () => {
    const { server, claim } = await rig({
      identify: async () => {
        throw new Error('no API server');
      },
    });

    expect(await claim()).toBe('503 hooklet: whose the token is could not be found out now');
    expect(server.log.lines).toMatchObject([{ level: 'warn', message: 'token of a Pod could not be reviewed' }]);
  });

  it('answers 503 to all but /healthz where another replica leads, and reviews no token', async () => {
    const identify = vi.fn<JobServerOptions['identify']>();
    const { ask, claim, say } = await rig({ refusal: () => 'another replica leads', identify });

    expect(await claim()).toBe('503 hooklet: another replica leads');
    expect((await ask('/x')).headers).toMatchObject({ 'retry-after': '1' });
    expect(await say('/healthz', { token: undefined })).toBe('200 ok');
    expect(identify).not.toHaveBeenCalled();
  });

  it('takes a result of 64 MiB', async () => {
    const { desk, claim, sendResult } = await rig();
    await claim();
    const files = { ...FILES, patch: '', conversion: 'x'.repeat(64 * MIB) };

    expect(await sendResult(Buffer.concat(encodeResult({ type: 'files', files })))).toBe('200 ok');
    expect(desk.results).toHaveLength(1);
  });

  it('refuses more with 413, and says what to do', async () => {
    const { claim, sendLines, sendResult, server } = await rig();
    await claim();

    expect(await sendResult(`{"type":"files","files":[${MAX_RESULT_BYTES},1,0,0,0]}\n`)).toMatch(
      /^413 .* write less in one run/,
    );
    expect(await sendLines('x'.repeat(256 * 1024 + 1))).toMatch(/^413 .*longer than 262144 bytes; .*send less at once/);
    const head = `PUT ${jobPath(JOB, 'result')} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TOKEN}\r\nhooklet-epoch: 1\r\ncontent-length: 99999999\r\n\r\n`;
    const socket = await slowly(server.port, head);
    expect(String(await buffer(socket))).toMatch(/^HTTP\/1.1 413/);
  });

  it.each([
    ['{', /^400 hooklet: line 1: got "{", expected JSON$/],
    ['{"stream":"x","line":""}', /^400 hooklet: line 1: stream: got "x", expected one of stdout, stderr$/],
  ])('refuses the lines %j', async (body, answer) => {
    const { claim, sendLines } = await rig();
    await claim();

    expect(await sendLines(body)).toMatch(answer);
  });

  it('refuses a result whose files have another length than its line says', async () => {
    const { desk, claim, sendResult } = await rig();
    await claim();

    expect(await sendResult('{"type":"files","files":[2,0,0,0,0]}\nx')).toBe(
      '400 hooklet: the files of the result: got 1 bytes, expected the 2 that its line says',
    );
    expect(desk.results).toEqual([]);
  });

  it.each([
    ['another Pod', { token: 'token-of-pod-2' }, '403 not the run of this Pod'],
    ['another epoch', { epoch: '7' }, '409 another claim counts'],
  ])('reads no body of %s', async (_whose, sent, answer) => {
    const { claim, sendResult, server } = await rig();
    await claim();
    expect(await sendResult('x', sent)).toBe(answer);

    const { token = TOKEN, epoch = '1' } = { token: undefined, epoch: undefined, ...sent };
    const head = `PUT ${jobPath(JOB, 'result')} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\nhooklet-epoch: ${epoch}\r\ncontent-length: 1000000\r\n\r\n`;
    const socket = await slowly(server.port, head);
    expect(String(await buffer(socket))).toContain(answer.slice(4));
  });

  it('holds a request for a fate no longer than the Pod asks', async () => {
    const waits: number[] = [];
    const fake = new FakeDesk({});
    const fate: JobDesk['fate'] = async (_ticket, waitMs) => {
      waits.push(waitMs);
      return { type: 'ok', value: 'waiting' };
    };
    const { say } = await rig({ desk: fake.answering({ fate }) });
    for (const query of ['', '?wait=5', '?wait=30', '?wait=31']) await say(`${jobPath(JOB, 'fate')}${query}`);

    expect(waits).toEqual([0, 5000, 30_000, 30_000]);
  });

  it('answers Pods that it knows while 110 with tokens that it does not know wait', async () => {
    const held = latch();
    onTestFinished(() => held.resolve());
    const identify: JobServerOptions['identify'] = async (token) => {
      const caller = CALLERS[token];
      if (caller === undefined) await held.promise;
      return caller;
    };
    const { claim, say, sendLines } = await rig({ identify });
    await claim();
    const flood = Array.from({ length: 110 }, async (_, index) => claim({ token: `unknown-${index}` }));
    await expect.poll(async () => claim({ token: 'token-of-pod-2' })).toBe('503 hooklet: too many requests at once');

    expect(await say(jobPath(JOB, 'fate'))).toBe('200 {"fate":"waiting"}');
    expect(await sendLines(encodeLine(LINE))).toBe('200 ok');
    held.resolve();
    const answers = await Promise.all(flood);
    expect(answers.filter((answer) => answer.startsWith('503'))).toHaveLength(77);
    expect(await claim({ token: 'token-of-pod-2' })).toBe('409 another Pod has it');
  });

  it('reads one result of a Pod at a time, and answers others meanwhile', async () => {
    const { desk, claim, sendResult, server, say } = await rig();
    await claim();
    const head = `PUT ${jobPath(JOB, 'result')} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${TOKEN}\r\nhooklet-epoch: 1\r\ncontent-length: 1000\r\n\r\n{`;
    const socket = await slowly(server.port, head);
    const body = Buffer.concat(encodeResult(RESULT));
    await expect.poll(async () => sendResult(body)).toBe('503 hooklet: too many requests at once');

    expect(await say(jobPath(JOB, 'fate'))).toMatch(/^200/);
    socket.destroy();
    await expect.poll(async () => sendResult(body)).toBe('200 ok');
    expect(desk.results.at(-1)).toEqual(RESULT);
  });
});
