import type { ClientHttp2Stream } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DeskCaller, RemoteResult } from '../../../src/hook/remote-run.ts';
import { encodeLine } from '../../../src/hook/remote-wire.ts';
import { encodeResult } from '../../../src/hook/result-wire.ts';
import { MAX_CAPACITY, type HandedRun, type WorkDesk } from '../../../src/hook/work-desk.ts';
import { workPath } from '../../../src/hook/work-path.ts';
import {
  encodeBeat,
  encodeHello,
  parseEnds,
  parseRuns,
  parseTerms,
  MAX_BEAT_BYTES,
  MAX_HELLO_BYTES,
} from '../../../src/hook/work-wire.ts';
import { latch } from '../../../src/lib/latch.ts';
import { aborted } from '../../../src/lib/aborted.ts';
import type { JobServerOptions } from '../../../src/server/jobs/job-server.ts';
import { CALLERS, refused, TOKEN } from '../../support/job-rig.ts';
import { RUN, WORKER } from '../../support/work-desk-rig.ts';
import { headersOf, openSession, workServer, type SentByWorker } from '../../support/work-server-rig.ts';

const worker = WORKER;
const runId = 'run-1';
const FILES = { patch: 'p', metrics: '', admission: '', conversion: '', result: '' };
const RESULT: RemoteResult = { type: 'files', files: FILES };
const LINE = { stream: 'stdout', line: 'a' } as const;
const HELLO = { pool: 'default', hooks: 'ab', capacity: 4, version: '1.2.3' };
const CALLER = CALLERS[TOKEN];
const ENDS = [{ runId, epoch: 3, why: 'the hook has changed', isOver: true }];
const CLAIM = `${workPath({ type: 'claim', worker })}?free=2&wait=30`;

type What = Exclude<keyof WorkDesk, 'holds'>;

/** Every request that there is, as it is right. */
const REQUESTS: Readonly<Record<What, readonly [string, SentByWorker]>> = {
  hello: [workPath({ type: 'hello' }), { method: 'POST', body: encodeHello(HELLO) }],
  beat: [workPath({ type: 'beat', worker }), { method: 'POST', body: encodeBeat([{ runId, epoch: 3 }]) }],
  ends: [`${workPath({ type: 'ends', worker })}?wait=5`, { method: 'GET' }],
  claim: [CLAIM, { method: 'POST' }],
  leave: [workPath({ type: 'leave', worker }), { method: 'DELETE' }],
  contexts: [workPath({ type: 'contexts', worker, runId }), { method: 'GET' }],
  output: [workPath({ type: 'output', worker, runId }), { method: 'POST', body: encodeLine(LINE) }],
  result: [workPath({ type: 'result', worker, runId }), { method: 'PUT', body: Buffer.concat(encodeResult(RESULT)) }],
};
const WHATS: readonly What[] = ['hello', 'beat', 'ends', 'claim', 'leave', 'contexts', 'output', 'result'];

function refusing(answer: ReturnType<typeof refused>): Partial<WorkDesk> {
  const now = () => answer;
  const later = async () => answer;
  return { hello: now, beat: now, ends: later, claim: later, leave: now, contexts: now, output: now, result: now };
}

describe.each(['HTTP/2', 'HTTP/1.1'] as const)('the server of workers with %s', (version) => {
  it('passes what a worker asks to the desk with who asks, and its answers back', async () => {
    const runs: readonly HandedRun[] = [
      { run: RUN, epoch: 3, env: { A: 'b' }, contexts: [Buffer.from('[1]')] },
      { run: { ...RUN, runId: 'run-2' }, epoch: 1 },
    ];
    const { desk, ask } = await workServer(
      {
        beat: () => ({ type: 'ok', value: ENDS }),
        ends: async () => ({ type: 'ok', value: ENDS }),
        claim: async () => ({ type: 'ok', value: runs }),
      },
      {},
      version,
    );
    const answers: Partial<Record<What, Buffer>> = {};
    for (const what of WHATS) {
      const [path, sent] = REQUESTS[what];
      const { status, body } = await ask(path, sent);
      expect(`${what} ${status}`).toBe(`${what} 200`);
      answers[what] = body;
    }

    expect(parseTerms(String(answers.hello))).toEqual({
      type: 'read',
      value: { worker, beatMs: 5000, silenceMs: 15_000 },
    });
    expect(parseEnds(String(answers.beat))).toEqual({ type: 'read', value: ENDS });
    expect(parseEnds(String(answers.ends))).toEqual({ type: 'read', value: ENDS });
    expect(parseRuns(answers.claim ?? Buffer.alloc(0))).toEqual({ type: 'read', value: runs });
    expect(String(answers.contexts)).toBe('[1]');
    const ticket = { worker, caller: CALLER, runId, epoch: 3 };
    expect(desk.asked).toEqual([
      { what: 'hello', given: HELLO, ticket: { worker: '', caller: CALLER } },
      { what: 'leave', ticket: { worker, caller: CALLER } },
      { what: 'contexts', ticket },
      { what: 'holds', ticket },
      { what: 'output', ticket, given: [LINE] },
      { what: 'holds', ticket },
      { what: 'result', ticket, given: RESULT },
    ]);
  });

  it('gives the desk what a beat names, how many runs are free, and how long to wait, at most 30 s', async () => {
    const { desk, say } = await workServer({}, {}, version);
    await say(...REQUESTS.beat);
    const { claim, ends } = { claim: workPath({ type: 'claim', worker }), ends: workPath({ type: 'ends', worker }) };
    expect(await say(`${claim}?free=256&wait=31`, { method: 'POST' })).toBe('200 {"runs":[]}');
    await say(`${claim}?free=1`, { method: 'POST' });
    expect(await say(`${ends}?wait=7`)).toBe('200 {"end":[]}');

    const ticket = { worker, caller: CALLER };
    expect(desk.asked).toEqual([
      { what: 'beat', ticket, given: [{ runId, epoch: 3 }] },
      { what: 'claim', ticket, given: 256, waitMs: 30_000 },
      { what: 'claim', ticket, given: 1, waitMs: 0 },
      { what: 'ends', ticket, waitMs: 7000 },
    ]);
  });

  it.each(WHATS)('answers %s with 403 to who may not work, and asks no desk', async (what) => {
    const mine: Readonly<Record<string, DeskCaller>> = {
      ...CALLERS,
      other: { namespace: 'runs', account: 'builder', pod: 'p', podUid: 'uid-9' },
    };
    const { desk, say } = await workServer({}, { identify: async (token) => mine[token] }, version);
    const [path, sent] = REQUESTS[what];

    expect(await say(path, { ...sent, token: 'other' })).toBe(
      '403 hooklet: the ServiceAccount runs/builder may not work, expected that of --workers-account: see serviceAccountName of the Pod',
    );
    expect(desk.asked).toEqual([]);
  });

  it.each(WHATS)('answers %s with 401 to who has no token, or one that nobody knows', async (what) => {
    const { desk, ask } = await workServer({}, {}, version);
    const [path, sent] = REQUESTS[what];

    for (const token of [undefined, 'unknown']) {
      const { status, headers } = await ask(path, { ...sent, token });
      expect({ status, asks: headers['www-authenticate'] }).toEqual({ status: 401, asks: 'Bearer' });
    }
    expect(desk.asked).toEqual([]);
  });

  it.each(WHATS)('answers %s by another method with 405, and says which one is right', async (what) => {
    const { ask } = await workServer({}, {}, version);
    const [path, { method = '' }] = REQUESTS[what];
    const { status, headers, body } = await ask(path, { method: 'PATCH' });

    expect({ status, allow: headers['allow'] }).toEqual({ status: 405, allow: method });
    expect(body.toString()).toBe(`hooklet: got PATCH, expected ${method}\n`);
  });

  it.each(WHATS)('answers %s with 404 where no hook has executor: workers', async (what) => {
    const { say } = await workServer('none', {}, version);

    expect(await say(...REQUESTS[what])).toBe(
      '404 hooklet: no hook has executor: workers here, so no worker is answered',
    );
  });
});

describe('the server of workers', () => {
  it.each(WHATS.flatMap((what) => ([403, 404, 409, 410, 503] as const).map((status) => [what, status] as const)))(
    'passes the refusal of %s with %i on, with its words',
    async (what, status) => {
      const { ask } = await workServer(refusing(refused(status, 'in words')));
      const answer = await ask(...REQUESTS[what]);

      expect(`${answer.status} ${answer.body.toString()}`).toBe(`${status} in words\n`);
      expect(answer.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
    },
  );

  it.each(['contexts', 'output', 'result'] as const)('wants the epoch with %s', async (what) => {
    const { desk, say } = await workServer();
    const [path, sent] = REQUESTS[what];

    for (const [epoch, got] of [
      [undefined, 'nothing'],
      ['0', '"0"'],
      ['1.5', '"1.5"'],
    ] as const) {
      expect(await say(path, { ...sent, epoch })).toBe(
        `400 hooklet: the header Hooklet-Epoch: got ${got}, expected the epoch of the claim`,
      );
    }
    expect(desk.asked).toEqual([]);
  });

  it.each([
    ['hello', '{', '400 hooklet: the hello: got "{", expected JSON'],
    ['hello', '{}', '400 hooklet: the hello: pool: got nothing, expected the name of a pool'],
    ['hello', 'x'.repeat(MAX_HELLO_BYTES + 1), '413 hooklet: the body is longer than 16384 bytes'],
    ['beat', '{"held":[{"runId":"a"}]}', '400 hooklet: the beat: held[0]: epoch: got nothing, expected a whole number'],
    ['beat', 'x'.repeat(MAX_BEAT_BYTES + 1), '413 hooklet: the body is longer than 65536 bytes'],
    ['output', '{', '400 hooklet: line 1: got "{", expected JSON'],
    ['output', 'x'.repeat(256 * 1024 + 1), '413 hooklet: the body is longer than 262144 bytes; a result may have'],
    ['result', '{}\n', '400 hooklet: the line of the result: type: got nothing, expected one of'],
    [
      'result',
      '{"type":"files","files":[67108864,1,0,0,0]}\n',
      '413 hooklet: the files of the hook have 67108865 bytes',
    ],
  ] as const)('says what is wrong with the body of %s: %j', async (what, body, answer) => {
    const { desk, say } = await workServer();
    const [path, { method = '' }] = REQUESTS[what];

    expect(await say(path, { method, body })).toContain(answer);
    expect(desk.asked.filter((asked) => asked.what !== 'holds')).toEqual([]);
  });

  it.each([
    ['/v1/workers/', 'GET', '404 hooklet: nothing is here, expected /v1/workers, '],
    ['/v1/workers/a/b', 'GET', '404 hooklet: nothing is here'],
    ['/v1/workers/a/runs/b', 'GET', '404 hooklet: nothing is here'],
    ['/v1/workersx', 'GET', '404 hooklet: nothing is here, expected /v1/jobs/'],
    [
      `/v1/workers/${worker}/claim`,
      'POST',
      '400 hooklet: the query: free: got nothing, expected a whole number from 1',
    ],
    [`/v1/workers/${worker}/claim?free=0`, 'POST', '400 hooklet: the query: free: got "0", expected'],
    [`/v1/workers/${worker}/claim?free=257`, 'POST', '400 hooklet: the query: free: got "257", expected'],
    [`/v1/workers/${worker}/claim?free=1&wait=-1`, 'POST', '400 hooklet: the query: wait: got "-1", expected'],
    [`/v1/workers/${worker}/ends?wait=1s`, 'GET', '400 hooklet: the query: wait: got "1s", expected'],
  ])('says what is wrong with %s by %s', async (path, method, answer) => {
    const { say } = await workServer();

    expect(await say(path, { method })).toContain(answer);
  });

  it('answers 503 where another replica leads, and reviews no token', async () => {
    const identify = vi.fn<JobServerOptions['identify']>();
    const { ask } = await workServer({}, { refusal: () => 'another replica leads', identify });
    const { status, headers, body } = await ask(...REQUESTS.beat);

    expect(`${status} ${body.toString()}`).toBe('503 hooklet: another replica leads\n');
    expect(headers['retry-after']).toBe('1');
    expect(identify).not.toHaveBeenCalled();
  });

  it('leaves it to the desk whether the Pod that asks is the worker that it names', async () => {
    const uids: string[] = [];
    const beat: WorkDesk['beat'] = (ticket) => {
      uids.push(ticket.caller.podUid);
      return refused(404, 'not the worker of this Pod');
    };
    const { say } = await workServer({ beat });
    const [path, sent] = REQUESTS.beat;

    expect(await say(path, { ...sent, token: 'token-of-pod-2' })).toBe('404 not the worker of this Pod');
    expect(uids).toEqual(['uid-2']);
  });

  it.each(['output', 'result'] as const)('reads no body of %s from a worker that has not the run', async (what) => {
    const { server } = await workServer({ holds: () => refused(409, 'another epoch counts') });
    const [path, { method = '' }] = REQUESTS[what];
    const out = openSession(server.url).request({
      ':method': method,
      ':path': path,
      ...headersOf({}),
      'content-length': '100000',
    });

    // Nothing of the body is sent.
    expect(String(await buffer(out))).toBe('another epoch counts\n');
  });

  it('tells the desk when the worker that waits for runs has gone', async () => {
    const waiting = latch<AbortSignal>();
    const claim: WorkDesk['claim'] = async (_ticket, _free, { signal }) => {
      waiting.resolve(signal);
      await aborted(signal);
      return { type: 'ok', value: [] };
    };
    const { server } = await workServer({ claim });
    const session = openSession(server.url);
    session.request({ ':method': 'POST', ':path': CLAIM, ...headersOf({}) }).on('error', () => {});
    const signal = await waiting.promise;
    expect(signal.aborted).toBe(false);
    session.destroy();

    await expect.poll(() => signal.aborted).toBe(true);
  });
});

describe('the room for workers', () => {
  /** A caller for any token `pod-<n>`, each another Pod. */
  const identify: JobServerOptions['identify'] = async (token): Promise<DeskCaller | undefined> =>
    /^pod-\d+$/.test(token) ? { namespace: 'runs', account: 'default', pod: token, podUid: `uid-${token}` } : undefined;

  it(
    'is for 500 workers that wait for runs and for those to end, and beat meanwhile',
    { timeout: 60_000 },
    async () => {
      const held = latch();
      let waiting = 0;
      const hold = async (): Promise<{ readonly type: 'ok'; readonly value: readonly [] }> => {
        waiting += 1;
        await held.promise;
        return { type: 'ok', value: [] };
      };
      const { server, say } = await workServer({ claim: hold, ends: hold }, { identify });
      const sessions = Array.from({ length: 10 }, () => openSession(server.url));
      // A connection that has shown whose it is may have more requests.
      const leave = { ':method': 'DELETE', ':path': workPath({ type: 'leave', worker }) };
      const token = headersOf({ token: 'pod-0' });
      for (const session of sessions)
        expect(String(await buffer(session.request({ ...leave, ...token })))).toBe('ok\n');
      const polls: Promise<Buffer>[] = [];
      // Each of 10 connections is that of 50 workers, which need no TLS handshake of their own here.
      for (let index = 0; index < 500; index += 1) {
        const token = `pod-${index}`;
        const session = sessions[index % 10];
        if (session === undefined) throw new Error('no session');
        for (const [path, { method = '' }] of [REQUESTS.claim, REQUESTS.ends]) {
          polls.push(buffer(session.request({ ':method': method, ':path': path, ...headersOf({ token }) })));
        }
      }
      await expect.poll(() => waiting, { timeout: 30_000 }).toBe(1000);
      const [path, sent] = REQUESTS.beat;
      expect(await say(path, { ...sent, token: 'pod-499' })).toBe('200 {"end":[]}');
      held.resolve();
      const answers = await Promise.all(polls);

      expect(new Set(answers.map(String))).toEqual(new Set(['{"runs":[]}\n', '{"end":[]}\n']));
    },
  );

  it('is for the lines of 256 runs of a worker at once, on one connection', async () => {
    expect(MAX_CAPACITY).toBe(256);
    const { server, desk, say } = await workServer();
    const session = openSession(server.url);
    const [path, { body = '', method }] = REQUESTS.output;
    const ask = () => session.request({ ':method': method, ':path': path, ...headersOf({ body }) });
    const first = ask();
    first.end(body);
    expect(String(await buffer(first))).toBe('ok\n');

    // All are begun before the first one ends.
    const requests = Array.from({ length: 256 }, ask);
    const isBegun = (): number => desk.asked.filter(({ what }) => what === 'holds').length;
    await expect.poll(isBegun).toBe(257);
    expect(await say(...REQUESTS.beat)).toBe('200 {"end":[]}');
    const answers = requests.map(async (request) => buffer(request.end(body)));
    expect(new Set((await Promise.all(answers)).map(String))).toEqual(new Set(['ok\n']));
  });

  it('is for 16 requests on a connection that has not shown whose it is', async () => {
    const held = latch();
    onTestFinished(() => held.resolve());
    let asked = 0;
    const slow: JobServerOptions['identify'] = async () => {
      asked += 1;
      await held.promise;
      return undefined;
    };
    const { server } = await workServer({}, { identify: slow });
    const session = openSession(server.url);
    const ask = () =>
      session.request({ ':path': CLAIM, ':method': 'POST', ...headersOf({ token: `x-${Math.random()}` }) });
    const requests = Array.from({ length: 20 }, ask);
    for (const request of requests) request.on('error', () => {});
    await expect.poll(() => asked).toBe(16);
    expect(session.remoteSettings.maxConcurrentStreams).toBe(16);
    expect(asked).toBe(16);
  });

  it('is not taken by 1300 tokens that nobody knows, from a worker nor from its next token', async () => {
    const held = latch();
    onTestFinished(() => held.resolve());
    let asked = 0;
    const slow: JobServerOptions['identify'] = async (token, signal) => {
      const caller = await identify(token, signal);
      if (caller !== undefined) return caller;
      asked += 1;
      await held.promise;
      return undefined;
    };
    const { server, say } = await workServer({}, { identify: slow });
    const [path, sent] = REQUESTS.beat;
    const beat = async (token: string) => say(path, { ...sent, token });
    expect(await beat('pod-1')).toBe('200 {"end":[]}');
    const flood = (from: string, count: number) => {
      const session = openSession(server.url, from);
      return Array.from({ length: count }, () => {
        const headers = headersOf({ token: `unknown-${Math.random()}`, epoch: undefined });
        return session.request({ ':method': 'POST', ':path': path, ...headers }).on('error', () => {});
      });
    };
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
    // 25 of each wait for the review, which is all that strangers have.
    for (const from of addresses) for (const count of [16, 9]) flood(from, count);
    await expect.poll(() => asked).toBe(100);
    // More than 16 on a connection are not even answered.
    const answer = async (request: ClientHttp2Stream) => buffer(request).then(String, () => 'refused');
    const answers = await Promise.all(addresses.flatMap((from) => flood(from, 300)).map(answer));
    expect(answers).toContain('hooklet: too many requests at once\n');
    expect(new Set(answers)).toEqual(new Set(['hooklet: too many requests at once\n', 'refused']));

    expect(await beat('pod-1')).toBe('200 {"end":[]}');
    expect(await beat('pod-2')).toBe('200 {"end":[]}');
    expect(asked).toBe(100);
  });

  it('is for one of the largest results of a worker at a time, and for small ones beside it', async () => {
    const { desk, server, say } = await workServer();
    const session = openSession(server.url);
    const [path, { method = '', body = '' }] = REQUESTS.result;
    const begin = (bytes: number) =>
      session.request({
        ':method': method,
        ':path': path,
        ...headersOf({}),
        'content-length': String(bytes),
      });
    const large = begin(60 * 1024 * 1024);
    large.on('error', () => {});
    large.write('{');
    const isBegun = (): number => desk.asked.filter(({ what }) => what === 'holds').length;
    await expect.poll(isBegun).toBe(1);

    expect(String(await buffer(begin(60 * 1024 * 1024)))).toBe('hooklet: too many requests at once\n');
    expect(await say(path, { method, body })).toBe('200 ok');
    large.destroy();
  });
});
