import { describe, expect, it } from 'vitest';
import { aborted } from '../../../src/lib/aborted.ts';
import { createConversionEndpoint } from '../../../src/sources/conversion/conversion-endpoint.ts';
import type { AskConversion } from '../../../src/sources/conversion/convert.ts';
import { readConversionResponse } from '../../../src/sources/conversion/response.ts';
import { step } from './conversion-rig.ts';

const object = { apiVersion: 'g.io/v1', kind: 'CronTab', metadata: { name: 'a' } };
const request = { uid: 'u', desiredAPIVersion: 'g.io/v2', objects: [object] };
const review = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request };
const responds =
  (response: object): AskConversion =>
  async () => ({ type: 'answered', response: readConversionResponse(JSON.stringify(response)) });

interface Sent {
  readonly body?: string;
  readonly contentType?: string | undefined;
  readonly timeoutMs?: number;
  readonly room?: (values: number) => (() => void) | undefined;
}

async function answered(
  ask: AskConversion,
  { body = JSON.stringify(review), room = () => () => {}, ...more }: Sent = {},
) {
  const ended: string[] = [];
  const endpoint = createConversionEndpoint({
    steps: () => [step('one', 'v1', 'v2')],
    ask,
    room,
    onEnd: ({ result, message }) => ended.push(`${result} ${message}`.trim()),
  });
  const signal = new AbortController().signal;
  const reply = await endpoint({
    body: Buffer.from(body),
    contentType: 'application/json; charset=utf-8',
    signal,
    ...more,
  });
  return { reply, ended };
}

describe('a request to convert', () => {
  it('is answered with the objects', async () => {
    const converted = { ...object, apiVersion: 'g.io/v2' };
    const { reply, ended } = await answered(responds({ convertedObjects: [converted] }));
    expect(reply).toMatchObject({ status: 200, type: 'application/json' });
    expect(JSON.parse(reply.body)).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      response: { uid: 'u', convertedObjects: [converted], result: { status: 'Success' } },
    });
    expect(ended).toEqual(['converted']);
  });

  it('is answered with the failedMessage of the hook', async () => {
    const { reply, ended } = await answered(responds({ failedMessage: 'why' }));
    expect(JSON.parse(reply.body)).toMatchObject({
      response: { uid: 'u', result: { status: 'Failure', message: 'hook one, v1 to v2: why' } },
    });
    expect(ended).toEqual(['failed hook one, v1 to v2: why']);
  });

  it('with an object of 9,000 levels fails with the reason', async () => {
    const deep = JSON.stringify(review).replace('"CronTab"', `"CronTab","x":${'['.repeat(9000)}${']'.repeat(9000)}`);
    const { reply, ended } = await answered(responds({ convertedObjects: [] }), { body: deep });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toMatchObject({
      response: { uid: 'u', result: { status: 'Failure', message: 'the objects are nested too deeply' } },
    });
    expect(ended).toEqual(['failed the objects are nested too deeply']);
  });

  it('with more than 2000000 values is refused before it is parsed, for they would take the room of all others', async () => {
    const many = JSON.stringify(review).replace('"CronTab"', `"CronTab","x":[${'{},'.repeat(1_000_000)}1]`);
    const { reply, ended } = await answered(responds({}), { body: many });
    expect(reply).toMatchObject({ status: 413, body: 'the review has more than 2000000 values\n' });
    expect(ended).toEqual(['invalid the review has more than 2000000 values']);
  });

  it('with more than 20000 values shares the room of those, which it gives back', async () => {
    const large = JSON.stringify(review).replace('"CronTab"', `"CronTab","x":[${'1,'.repeat(20_000)}1]`);
    const taken: string[] = [];
    const room = (values: number): (() => void) => {
      taken.push(`took ${values > 20_000}`);
      return () => taken.push('gave back');
    };
    const noRoom = (): undefined => undefined;

    await answered(responds({ failedMessage: 'why' }), { body: large, room });
    await answered(responds({ failedMessage: 'why' }), { room });
    const { reply } = await answered(responds({ failedMessage: 'why' }), { body: large, room: noRoom });
    const { reply: small } = await answered(responds({ failedMessage: 'why' }), { room: noRoom });

    expect(taken).toEqual(['took true', 'gave back']);
    expect([reply.status, small.status]).toEqual([503, 200]);
  });

  it.each([429, 503] as const)('is refused with %i where the hook could not be asked', async (status) => {
    const { reply, ended } = await answered(async () => ({ type: 'refused', status, message: 'busy' }));
    expect(reply).toEqual({
      status,
      type: 'text/plain; charset=utf-8',
      body: 'hook one, v1 to v2: busy\n',
    });
    expect(ended).toEqual(['refused hook one, v1 to v2: busy']);
  });

  it('is answered before its caller stops to wait, and the hook is ended', async () => {
    const reasons: unknown[] = [];
    const { reply, ended } = await answered(
      async (_step, _trigger, signal) => {
        await aborted(signal);
        reasons.push(signal.reason);
        return { type: 'failed', message: 'ended' };
      },
      { timeoutMs: 40 },
    );
    expect(JSON.parse(reply.body)).toMatchObject({
      response: { uid: 'u', result: { status: 'Failure', message: 'no answer within 20ms' } },
    });
    expect(ended).toEqual(['timeout no answer within 20ms']);
    expect(reasons).toEqual([new Error('no answer within 20ms')]);
  });

  it.each([
    ['another content type', { contentType: 'text/plain' }, 415, 'content type "text/plain"'],
    ['no content type', { contentType: undefined }, 415, 'content type ""'],
    ['no JSON', { body: '{' }, 400, 'Invalid JSON payload'],
    ['no request', { body: '{"request":null}' }, 400, 'Missing parameters: request'],
  ])('with %s is refused', async (_what, sent, status, message) => {
    const { reply, ended } = await answered(responds({}), sent);
    expect(reply).toMatchObject({ status, body: expect.stringContaining(message) });
    expect(ended).toEqual([expect.stringContaining('invalid ')]);
  });
});
