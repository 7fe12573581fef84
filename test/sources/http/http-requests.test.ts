import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Hook } from '../../../src/hook/binding.ts';
import type { HttpBinding } from '../../../src/hook/http-binding.ts';
import type { HttpTrigger } from '../../../src/hook/trigger.ts';
import { HttpRequests, type TriggerAnswer, type TriggerRequest } from '../../../src/sources/http/http-requests.ts';
import { OpenRequests } from '../../../src/sources/http/open-requests.ts';
import type { TokenAccess } from '../../../src/sources/http/token-access.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const NOW_MS = Date.parse('2026-01-02T03:04:05Z');
const SECRET = 'very secret';

function httpBinding(fields: Partial<HttpBinding> = {}): HttpBinding {
  return {
    type: 'http',
    name: 'deploy',
    authentication: { type: 'token' },
    maxBodyBytes: 1024,
    rateLimit: { perMinute: 60, burst: 20 },
    allowFailure: false,
    queue: 'main',
    includeSnapshotsFrom: [],
    ...fields,
  };
}

interface RigOptions {
  readonly access?: TokenAccess;
  readonly refusal?: string;
  readonly secret?: () => Promise<Uint8Array>;
}

function rig(binding: HttpBinding = httpBinding(), options: RigOptions = {}) {
  const hook: Hook = {
    name: 'ci/deploy.sh',
    path: '/hooks/ci/deploy.sh',
    type: 'process',
    bindings: [binding],
    settings: {},
  };
  const emitted: HttpTrigger[] = [];
  const open = new OpenRequests();
  const log = recordingLogger();
  let nowMs = NOW_MS;
  const requests = new HttpRequests({
    hookNamed: (name) => (name === hook.name ? hook : undefined),
    emit: (_, trigger) => emitted.push(trigger),
    refusal: () => options.refusal,
    open,
    tokenAccess: async () => options.access ?? { type: 'allowed', user: 'ann' },
    readSecret: options.secret ?? (async () => Buffer.from(SECRET)),
    now: () => nowMs,
    log,
  });
  const requestWith = (fields: Partial<TriggerRequest>): TriggerRequest => ({
    method: 'POST',
    path: '/trigger/ci/deploy.sh/deploy',
    query: new URLSearchParams(),
    headers: { authorization: 'Bearer t' },
    source: '10.0.0.1',
    body: Buffer.from('hello'),
    signal: new AbortController().signal,
    ...fields,
  });
  const admit = async (fields: Partial<TriggerRequest> = {}) => requests.admit(requestWith(fields));
  /** What the server does. */
  const send = async (fields: Partial<TriggerRequest> = {}): Promise<TriggerAnswer> => {
    const request = requestWith(fields);
    const admission = await requests.admit(request);
    if (admission.type === 'refused') return admission.reply;
    if (admission.type === 'known') return admission.take(request);
    const verified = await admission.verify(request);
    return typeof verified === 'function' ? verified(request) : verified;
  };
  return { admit, requests, send, emitted, open, log, pass: (ms: number) => (nowMs += ms) };
}

const requestOf = ({ request }: HttpTrigger): Readonly<Record<string, unknown>> =>
  JSON.parse(request) as Readonly<Record<string, unknown>>;

describe('a request to /trigger/<hook>/<binding>', () => {
  it('becomes a trigger of the hook, and is answered 202 with its run id', async () => {
    const { send, emitted } = rig();
    const answer = await send();
    expect(answer).toEqual({ status: 202, body: { runId: emitted[0]?.runId } });
    expect(emitted).toEqual([
      expect.objectContaining({
        type: 'http',
        caller: 'ann',
        receivedAtMs: NOW_MS,
        runId: expect.stringMatching(/^[-a-z0-9]{36}$/),
      }),
    ]);
  });

  it('gives the hook method, path, query, headers and body, but nothing that shows who the caller is', async () => {
    const { send, emitted } = rig();
    await send({
      query: new URLSearchParams('a=1&b=x%20y'),
      headers: { authorization: 'Bearer t', cookie: 'c', 'x-hub-signature-256': 's', 'x-event': 'push', host: 'h' },
      body: Buffer.from('häl'),
    });
    expect(emitted.map(requestOf)).toEqual([
      {
        method: 'POST',
        path: '/trigger/ci/deploy.sh/deploy',
        query: { a: '1', b: 'x y' },
        headers: { 'x-event': 'push', host: 'h' },
        body: 'häl',
      },
    ]);
  });

  it('gives the hook a body of JSON as it was sent, also parsed', async () => {
    const { send, emitted } = rig();
    const headers = { authorization: 'Bearer t', 'content-type': 'application/json; charset=utf-8' };
    await send({ headers, body: Buffer.from(' {"n":9007199254740993} ') });
    expect(emitted[0]?.request).toContain('"json":{"n":9007199254740993},');
    expect(emitted.map(requestOf)).toMatchObject([{ body: ' {"n":9007199254740993} ' }]);
  });

  it.each([
    ['no JSON', Buffer.from('{"n":')],
    ['JSON of 501 levels', Buffer.from(`${'['.repeat(501)}${']'.repeat(501)}`)],
  ])('gives the hook a body that is %s as text alone', async (_law, body) => {
    const { send, emitted } = rig();
    await send({ headers: { authorization: 'Bearer t', 'content-type': 'application/json' }, body });
    expect(emitted.map(requestOf)).toEqual([expect.not.objectContaining({ json: expect.anything() })]);
  });

  it('gives the hook a body that is no text in base64', async () => {
    const { send, emitted } = rig();
    await send({ body: Buffer.from([0xff, 0xfe]) });
    expect(emitted.map(requestOf)).toMatchObject([{ bodyBase64: '//4=' }]);
  });

  it.each([
    ['/trigger/ci/deploy.sh/other'],
    ['/trigger/deploy'],
    ['/trigger/'],
    ['/trigger/other/deploy'],
    ['/trigger/%ff/deploy'],
    ['/elsewhere/ci/deploy.sh/deploy'],
  ])('is answered 404 at %s', async (path) => {
    const { send, emitted, admit } = rig();
    expect(await send({ path })).toMatchObject({ status: 404 });
    expect(await admit({ path })).toMatchObject({ type: 'refused' });
    expect(emitted).toEqual([]);
  });

  it.each([
    ['another method', { method: 'GET' }, 405],
    ['no token', { headers: {} }, 401],
    ['another scheme', { headers: { authorization: 'Basic eDp5' } }, 401],
    ['a wait that is no duration', { query: new URLSearchParams('wait=soon') }, 400],
    ['a wait of 61 s', { query: new URLSearchParams('wait=61s') }, 400],
    ['a wait below zero', { query: new URLSearchParams('wait=-1s') }, 400],
  ])('with %s is refused', async (_law, fields, status) => {
    const { send, emitted } = rig();
    expect(await send(fields)).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(emitted).toEqual([]);
  });

  it.each([
    ['is unknown', { type: 'unknown', message: 'who?' }, 401],
    ['has not the right', { type: 'forbidden', user: 'bob', message: 'bob may not' }, 403],
    ['is one of too many unknown ones', { type: 'busy', message: 'too many', retryAfterS: 3 }, 429],
  ] as const)('whose token %s is refused', async (_law, access, status) => {
    const { send, emitted } = rig(httpBinding(), { access });
    expect(await send()).toMatchObject({ status, body: { error: access.message } });
    expect(emitted).toEqual([]);
  });

  it('is answered 503 by a replica that does not lead', async () => {
    const { send, emitted } = rig(httpBinding(), { refusal: 'pod-b leads' });
    expect(await send()).toMatchObject({
      status: 503,
      body: { error: 'pod-b leads' },
      headers: { 'retry-after': '5' },
    });
    expect(emitted).toEqual([]);
  });

  it('above the limit of the binding is answered 429, and taken again when its time has come', async () => {
    const { send, emitted, pass } = rig(httpBinding({ rateLimit: { perMinute: 60, burst: 2 } }));
    const statuses = [await send(), await send(), await send()].map(({ status }) => status);
    expect(statuses).toEqual([202, 202, 429]);
    pass(1000);
    expect(await send()).toMatchObject({ status: 202 });
    expect(emitted).toHaveLength(3);
  });

  it('of a stranger does not count for the limit', async () => {
    const { send } = rig(httpBinding({ rateLimit: { perMinute: 1, burst: 1 } }));
    for (let count = 0; count < 5; count++) await send({ headers: {} });
    expect(await send()).toMatchObject({ status: 202 });
  });

  it('is answered 503 when 1,000 wait for their runs', async () => {
    const { send, open, emitted } = rig(httpBinding({ rateLimit: { perMinute: 60, burst: 2000 } }));
    for (let count = 0; count < 1000; count++) expect(await send()).toMatchObject({ status: 202 });
    expect(await send()).toMatchObject({ status: 503 });
    open.end(emitted[0]?.runId ?? '', { outcome: 'succeeded' });
    expect(await send()).toMatchObject({ status: 202 });
  });
});

describe('a caller that waits', () => {
  it.each([
    ['succeeded', 200, {}],
    ['failed', 500, { message: 'hook failed: exit code 1' }],
    ['dropped', 500, { message: 'the hook was changed' }],
  ] as const)('is answered when its run has %s', async (outcome, status, more) => {
    const { send, open, emitted } = rig();
    const answer = send({ query: new URLSearchParams('wait=10s') });
    await expect.poll(() => emitted.length).toBe(1);
    const runId = emitted[0]?.runId ?? '';
    open.end(runId, { outcome, ...more });
    expect(await answer).toEqual({ status, body: { runId, outcome, ...more } });
  });

  it('is answered 202 when its run takes longer', async () => {
    const { send, emitted } = rig();
    const answer = await send({ query: new URLSearchParams('wait=1ms') });
    expect(answer).toEqual({ status: 202, body: { runId: emitted[0]?.runId } });
  });
});

const github = (body: string, secret = SECRET): Partial<TriggerRequest> => ({
  body: Buffer.from(body),
  headers: { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` },
});

const slack = (body: string, atS: number, secret = SECRET): Partial<TriggerRequest> => ({
  body: Buffer.from(body),
  headers: {
    'x-slack-request-timestamp': String(atS),
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${atS}:${body}`).digest('hex')}`,
  },
});

const signedBy = (type: 'github' | 'slack'): HttpBinding =>
  httpBinding({ authentication: { type, secretFile: '/secret' } });

describe('a signed request', () => {
  it.each([
    ['github', github('{}')],
    ['slack', slack('a=b', NOW_MS / 1000)],
    ['slack', slack('a=b', NOW_MS / 1000 - 300)],
  ] as const)('of %s is taken', async (type, request) => {
    const { send, emitted } = rig(signedBy(type));
    expect(await send(request)).toMatchObject({ status: 202 });
    expect(emitted).toMatchObject([{ caller: type }]);
  });

  it.each([
    ['github', 'another secret', github('{}', 'guess')],
    ['github', 'another body', { ...github('{}'), body: Buffer.from('{ }') }],
    ['github', 'no signature', {}],
    ['slack', 'another secret', slack('a=b', NOW_MS / 1000, 'guess')],
    ['slack', 'a signature of 301 s ago', slack('a=b', NOW_MS / 1000 - 301)],
    ['slack', 'no signature', {}],
  ] as const)('of %s with %s is refused', async (type, _law, request) => {
    const { send, emitted } = rig(signedBy(type));
    expect(await send(request)).toMatchObject({ status: 401 });
    expect(emitted).toEqual([]);
  });

  it.each([
    ['cannot be read', async () => Promise.reject(new Error('ENOENT'))],
    ['is empty', async () => Buffer.alloc(0)],
  ])('whose secret %s is refused for now, and the log says why', async (_law, secret) => {
    const { send, log } = rig(signedBy('github'), { secret });
    expect(await send(github('{}', ''))).toMatchObject({ status: 503 });
    expect(log.lines.map(({ message }) => message)).toEqual(['the caller cannot be checked']);
  });
});

describe('before the body is read', () => {
  it.each([
    ['the token is unknown', 401, httpBinding(), {}],
    ['there is no token', 401, httpBinding(), { headers: {} }],
    ['there is no signature of GitHub', 401, signedBy('github'), {}],
    ['the signature of GitHub is none', 401, signedBy('github'), { headers: { 'x-hub-signature-256': 'sha256=x' } }],
    ['there is no signature of Slack', 401, signedBy('slack'), {}],
    ['the signature of Slack is 301 s old', 401, signedBy('slack'), slack('a', NOW_MS / 1000 - 301)],
  ] as const)('a request is refused when %s', async (_law, status, binding, fields) => {
    const { admit } = rig(binding, { access: { type: 'unknown', message: 'unknown' } });
    expect(await admit(fields)).toMatchObject({ type: 'refused', reply: { status } });
  });

  it('a request with a signature that may be right is not known yet', async () => {
    const { admit } = rig(signedBy('github'));
    expect(await admit(github('{}', 'guess'))).toMatchObject({ type: 'signed', maxBodyBytes: 1024 });
  });
});
