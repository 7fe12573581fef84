import { PassThrough } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { KubeError } from '../../src/errors.ts';
import { readWhole } from '../../src/kube/http/body.ts';
import { createCluster } from '../../src/kube/credentials/cluster.ts';
import { fixedCredentials } from '../../src/kube/credentials/credentials.ts';
import {
  describe as describeRequest,
  explain,
  openResponse,
  reported,
  type Exchange,
} from '../../src/kube/exchange.ts';
import type { HttpRequest, HttpResponse } from '../../src/kube/http/http.ts';

const never = new AbortController().signal;
const get = { method: 'GET', path: '/version' } as const;

function answer(status: number, body = ''): HttpResponse {
  const stream = new PassThrough();
  stream.end(body);
  const carrier = { silentForMs: () => 0, lost: never, isPinged: true };
  return { status, headers: {}, body: stream, carrier, cancel: () => stream.destroy(), isTruncated: () => false };
}

/** An exchange whose transport returns `answers` in order. */
function scripted(answers: readonly HttpResponse[], more: Partial<Exchange> = {}) {
  const sent: HttpRequest[] = [];
  const codes: string[] = [];
  const cluster = createCluster({ name: 'c', server: new URL('https://gate.example/clusters/1/') }, [
    fixedCredentials({ headers: { authorization: 'Bearer x', 'impersonate-group': ['a', 'b'] } }),
  ]);
  const exchange: Exchange = {
    cluster,
    userAgent: 'hooklet/test',
    limit: undefined,
    onLimited: undefined,
    onRequest: ({ code }) => codes.push(code),
    transport: {
      send(request) {
        const next = answers[sent.push(request) - 1];
        return next === undefined ? Promise.reject(new Error('no more answers')) : Promise.resolve(next);
      },
      close: () => {},
    },
    ...more,
  };
  return { exchange, sent, codes };
}

describe('openResponse', () => {
  it('sends path and headers as the cluster wants them', async () => {
    const { exchange, sent } = scripted([answer(200, 'ok')]);

    const response = await openResponse(
      exchange,
      { ...get, query: { a: 'b c' }, body: '{}', accept: 'text/plain' },
      never,
    );

    expect((await readWhole(response, { signal: never })).toString()).toBe('ok');
    expect(sent).toEqual([
      {
        method: 'GET',
        path: '/clusters/1/version?a=b+c',
        headers: {
          accept: 'text/plain',
          'user-agent': 'hooklet/test',
          'content-type': 'application/json',
          authorization: 'Bearer x',
          'impersonate-group': ['a', 'b'],
        },
        body: '{}',
      },
    ]);
  });

  it('sends once more after a 401, and no more than once', async () => {
    const once = scripted([answer(401), answer(200)]);
    const twice = scripted([answer(401), answer(401), answer(200)]);

    expect((await openResponse(once.exchange, get, never)).status).toBe(200);
    await expect(openResponse(twice.exchange, get, never)).rejects.toMatchObject({ status: 401 });
    expect([once.sent.length, twice.sent.length]).toEqual([2, 2]);
  });

  it('waits for its turn before it asks for credentials', async () => {
    const controller = new AbortController();
    const { exchange, sent } = scripted([answer(200)], { limit: () => Promise.reject(new Error('not your turn')) });

    await expect(openResponse(exchange, get, controller.signal)).rejects.toThrow('not your turn');
    expect(sent).toEqual([]);
  });

  it('does not wait for credentials that hang after an abort', async () => {
    const cluster = createCluster({ name: 'c', server: new URL('https://x') }, [
      { read: () => new Promise(() => {}), invalidate: () => {} },
    ]);
    const { exchange } = scripted([], { cluster });
    const controller = new AbortController();
    const opened = openResponse(exchange, get, controller.signal);

    controller.abort(new Error('enough'));

    await expect(opened).rejects.toThrow('enough');
  });
});

describe('reported', () => {
  it('reports the status of a success, of a refusal, and <error> without a response', async () => {
    const { exchange, codes } = scripted([]);
    const fail = (error: Error) => reported(exchange, get, never, () => Promise.reject(error)).catch(() => {});

    await reported(exchange, get, never, () => Promise.resolve({ status: 201 }));
    await fail(new KubeError('conflict', { status: 409, reason: 'Conflict' }));
    await fail(new Error('reset'));

    expect(codes).toEqual(['201', '409', '<error>']);
  });

  it('takes the end of the time limit as a failure and an abort by the caller as nothing', async () => {
    const { exchange, codes } = scripted([]);
    const timeout = new KubeError('no answer within 1 s', { status: 0, reason: 'Timeout' });
    const work = () => Promise.reject(new Error('cut'));

    await expect(reported(exchange, get, AbortSignal.abort(timeout), work)).rejects.toBe(timeout);
    await expect(reported(exchange, get, AbortSignal.abort(new Error('enough')), work)).rejects.toThrow('cut');
    expect(codes).toEqual(['<error>']);
  });
});

it('what goes wrong is explained with the request and the server', () => {
  const { exchange } = scripted([]);

  expect(explain(exchange, get, new Error('broken')).message).toBe(
    'GET /version: no answer from https://gate.example: broken',
  );
  expect(describeRequest({ method: 'PATCH', path: '/x' })).toBe('PATCH /x');
});
