import { describe, expect, it } from 'vitest';

import { CredentialsError, KubeError, ResourceExpiredError } from '../../src/errors.ts';
import { connectionError, refusalError, statusObjectError } from '../../src/kube/status-error.ts';
import { statusObject } from '../support/scripted-server.ts';

const server = new URL('https://api.example:6443');

describe('refusalError', () => {
  it.each([
    {
      title: 'a Status object',
      refusal: { status: 403, headers: {}, body: JSON.stringify(statusObject(403, 'Forbidden', 'pods is forbidden')) },
      expected: { message: 'GET /x: 403 pods is forbidden', status: 403, reason: 'Forbidden', retryAfterMs: undefined },
    },
    {
      title: 'the plain text of a proxy',
      refusal: { status: 502, headers: {}, body: '<html>\n<h1>Bad   Gateway</h1></html>' },
      expected: { message: 'GET /x: 502 Bad Gateway', status: 502, reason: '', isRetryable: true },
    },
    {
      title: 'an empty body',
      refusal: { status: 500, headers: {}, body: '' },
      expected: { message: 'GET /x: 500', status: 500, reason: '' },
    },
    {
      title: 'retryAfterSeconds of the details',
      refusal: {
        status: 429,
        headers: {},
        body: JSON.stringify(statusObject(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 2 })),
      },
      expected: { retryAfterMs: 2000 },
    },
    {
      title: 'the fields that it refuses, and nothing else that is called so',
      refusal: {
        status: 422,
        headers: {},
        body: JSON.stringify(
          statusObject(422, 'Invalid', 'no', {
            causes: [{ field: 'webhooks[1].rules', message: 'Required value' }, { field: 1, message: 'x' }, null],
          }),
        ),
      },
      expected: { status: 422, issues: [{ path: 'webhooks[1].rules', message: 'Required value' }] },
    },
    {
      title: 'a Retry-After header before the details',
      refusal: {
        status: 429,
        headers: { 'retry-after': '1' },
        body: JSON.stringify(statusObject(429, 'TooManyRequests', 'slow down', { retryAfterSeconds: 2 })),
      },
      expected: { retryAfterMs: 1000 },
    },
    {
      title: 'a Retry-After date that has passed',
      refusal: { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' }, body: '' },
      expected: { retryAfterMs: 0 },
    },
    {
      title: 'a Retry-After that is nothing',
      refusal: { status: 503, headers: { 'retry-after': 'soon' }, body: '' },
      expected: { retryAfterMs: undefined },
    },
  ])('reads $title', ({ refusal, expected }) => {
    expect(refusalError('GET /x', refusal)).toMatchObject(expected);
  });

  it.each<[string, string | undefined, unknown]>([
    ['a header', '999999999999', undefined],
    ['a header of a far date', 'Fri, 01 Jan 2100 00:00:00 GMT', undefined],
    ['the details', undefined, 1e99],
    ['what is no number of seconds', '1e99', 1e99],
  ])('waits at most a minute, whatever %s asks for', (_law, header, retryAfterSeconds) => {
    const body = JSON.stringify(statusObject(429, 'TooManyRequests', 'slow down', { retryAfterSeconds }));
    const headers = header === undefined ? {} : { 'retry-after': header };

    expect(refusalError('GET /x', { status: 429, headers, body }).retryAfterMs).toBe(60_000);
  });

  it('shortens the message of a Status, and reads a page of nothing but brackets at once', () => {
    const long = JSON.stringify(statusObject(400, 'BadRequest', 'x'.repeat(1_000_000)));
    const startedAt = process.cpuUsage();

    expect(refusalError('GET /x', { status: 400, headers: {}, body: long }).message.length).toBeLessThan(2100);
    expect(refusalError('GET /x', { status: 400, headers: {}, body: '<'.repeat(262_144) }).message.length).toBe(313);
    expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000_000);
  });

  it('shortens a long page', () => {
    const error = refusalError('GET /x', { status: 500, headers: {}, body: 'a'.repeat(10_000) });

    expect(error.message.length).toBeLessThan(400);
  });

  it('takes 500 for an applied object that the schema refuses as 422, and does not show its value', () => {
    const said =
      'failed to create typed patch object (a/b; /v1, Kind=Secret): .stringData.password: expected string, got &value.valueUnstructured{Value:48151623}';

    const error = refusalError('PATCH /x', {
      status: 500,
      headers: {},
      body: JSON.stringify(statusObject(500, 'InternalError', said)),
    });

    expect(error).toMatchObject({ status: 422, isRetryable: false });
    expect(error.message).toMatch(/\.stringData\.password: expected string, got another type$/);
  });

  it('makes 410 a ResourceExpiredError', () => {
    expect(refusalError('GET /x', { status: 410, headers: {}, body: '' })).toBeInstanceOf(ResourceExpiredError);
  });
});

describe('statusObjectError', () => {
  it.each([
    statusObject(410, 'Expired', 'too old resource version'),
    statusObject(410, 'Gone', 'too old resource version'),
    statusObject(0, 'Expired', 'too old resource version'),
  ])('takes %j of a watch as expired', (status) => {
    expect(statusObjectError('GET /x', status)).toBeInstanceOf(ResourceExpiredError);
  });

  it('keeps code and reason of others', () => {
    const error = statusObjectError('GET /x', statusObject(500, 'InternalError', 'etcdserver: request timed out'));

    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ status: 500, reason: 'InternalError' });
  });

  it.each([200, 0, 1e99, -1, 404.5, '404'])('takes the code %j for a server error', (code) => {
    expect(statusObjectError('watch', { code, message: 'x' }).status).toBe(500);
  });

  it('bears a Status that is nested a million levels deep', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`);

    expect(statusObjectError('watch', { details: deep, reason: 'Expired' }).status).toBe(410);
    expect(statusObjectError('watch', deep).message.length).toBeLessThan(200);
  });

  it('counts what is no Status as a server error', () => {
    expect(statusObjectError('GET /x', { what: 'ever' })).toMatchObject({ status: 500 });
  });
});

describe('connectionError', () => {
  it('names server, request and code', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6443'), { code: 'ECONNREFUSED' });
    const error = connectionError('GET /x', server, cause);

    expect(error).toMatchObject({ status: 0, reason: 'ECONNREFUSED', isRetryable: true, cause });
    expect(error.message).toBe('GET /x: no answer from https://api.example:6443: connect ECONNREFUSED 10.0.0.1:6443');
  });

  it('makes a refused client certificate a CredentialsError', () => {
    const cause = Object.assign(new Error('alert'), { code: 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED' });

    expect(connectionError('GET /x', server, cause)).toBeInstanceOf(CredentialsError);
  });

  it('leaves our own errors alone', () => {
    const own = new CredentialsError('no token');

    expect(connectionError('GET /x', server, own)).toBe(own);
  });
});
