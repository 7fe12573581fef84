import { describe, expect, it } from 'vitest';
import type { AskTrigger } from '../../../src/hook/trigger.ts';
import { conversionAnswer, readConversionReview } from '../../../src/sources/conversion/conversion-review.ts';
import { convert, type AskedConversion } from '../../../src/sources/conversion/convert.ts';
import type { ConvertedObject } from '../../../src/sources/conversion/converted.ts';
import { readConversionResponse } from '../../../src/sources/conversion/response.ts';
import { step } from './conversion-rig.ts';

const object = (version: string, name: string, more: object = {}): ConvertedObject => ({
  apiVersion: `g.io/${version}`,
  kind: 'CronTab',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, generation: 3 },
  ...more,
});

interface Given {
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly objects: readonly ConvertedObject[];
}

function givenOf({ members }: AskTrigger): Given {
  const { fromVersion = '', toVersion = '', review = '' } = members;
  const { request } = JSON.parse(review) as { request: { objects: readonly ConvertedObject[] } };
  return {
    fromVersion: JSON.parse(fromVersion) as string,
    toVersion: JSON.parse(toVersion) as string,
    objects: request.objects,
  };
}

function respond(response: unknown): AskedConversion {
  try {
    return { type: 'answered', response: readConversionResponse(JSON.stringify(response)) };
  } catch (error) {
    return { type: 'failed', message: String(error) };
  }
}

const renamed = ({ objects, toVersion }: Given): unknown => ({
  convertedObjects: objects.map((one) => ({ ...one, apiVersion: `g.io/${toVersion}` })),
});

async function converted(
  objects: readonly ConvertedObject[],
  rules: readonly string[],
  answer: (given: Given, hook: string) => unknown = renamed,
) {
  const asked: string[] = [];
  const steps = rules.map((rule) => {
    const [hook = '', from = '', to = ''] = rule.split(' ');
    return step(hook, from, to);
  });
  const result = await convert(
    { uid: '1', desiredAPIVersion: 'g.io/v2', objects },
    {
      steps,
      signal: new AbortController().signal,
      ask: async ({ hook }, trigger) => {
        const given = givenOf(trigger);
        asked.push(`${hook} ${given.fromVersion}>${given.toVersion}: ${given.objects.length}`);
        const response = answer(given, hook);
        return typeof response === 'string' ? { type: 'failed', message: response } : respond(response);
      },
    },
  );
  return { result, asked };
}

describe('a conversion', () => {
  it('goes through a chain over two hooks', async () => {
    const { result, asked } = await converted([object('v1', 'a'), object('v1', 'b')], ['one v1 v1b', 'two v1b v2']);
    expect(asked).toEqual(['one v1>v1b: 2', 'two v1b>v2: 2']);
    expect(result).toEqual({ type: 'converted', objects: [object('v2', 'a'), object('v2', 'b')] });
  });

  it('takes each version its own way, and keeps the order of the objects', async () => {
    const objects = [object('v1', 'a'), object('v2', 'b'), object('v1b', 'c'), object('v1', 'd')];
    const { result, asked } = await converted(objects, ['one v1 v1b', 'two v1b v2']);
    expect(asked).toEqual(['one v1>v1b: 2', 'two v1b>v2: 2', 'two v1b>v2: 1']);
    expect(result).toEqual({ type: 'converted', objects: ['a', 'b', 'c', 'd'].map((name) => object('v2', name)) });
  });

  it('asks no hook for objects that have the version already', async () => {
    const { result, asked } = await converted([object('v2', 'a')], []);
    expect({ result, asked }).toEqual({ result: { type: 'converted', objects: [object('v2', 'a')] }, asked: [] });
  });

  it('of no objects asks no hook', async () => {
    expect(await converted([], ['one v1 v2'])).toEqual({ result: { type: 'converted', objects: [] }, asked: [] });
  });

  it.each([
    ['without a version', { kind: 'CronTab' }, 'undefined'],
    ['whose version is no text', { apiVersion: 7 }, '7'],
    ['of another group', { apiVersion: 'other.io/v1' }, '"other.io/v1"'],
  ])('of an object %s fails', async (_what, given, shown) => {
    const { result, asked } = await converted([object('v1', 'a'), given], ['one v1 v2']);
    expect(result).toEqual({ type: 'failed', message: expect.stringContaining(`no hook converts from ${shown}`) });
    expect(asked).toEqual(['one v1>v2: 1']);
  });

  it.each([
    ['v1', 'v2'],
    ['g.io/v1', 'v2'],
    ['v1', 'g.io/v2'],
    ['g.io/v1', 'g.io/v2'],
  ])('by a rule from %s to %s has versions with and without the group mean the same', async (from, to) => {
    const { result } = await converted([object('v1', 'a')], [`one ${from} ${to}`], ({ objects }) => ({
      convertedObjects: objects.map((one) => ({ ...one, apiVersion: 'g.io/v2' })),
    }));
    expect(result).toEqual({ type: 'converted', objects: [object('v2', 'a')] });
  });

  it('may change labels and annotations, and nothing else of the metadata', async () => {
    const { result } = await converted([object('v1', 'a')], ['one v1 v2'], ({ objects }) => ({
      convertedObjects: objects.map((one) => ({
        ...one,
        apiVersion: 'g.io/v2',
        metadata: { ...(one['metadata'] as object), generation: 9, finalizers: ['x'], labels: { a: 'b' } },
      })),
    }));
    expect(result).toMatchObject({ type: 'converted' });
    expect(result.type === 'converted' && result.objects[0]?.['metadata']).toEqual({
      name: 'a',
      namespace: 'default',
      uid: 'uid-a',
      generation: 3,
      labels: { a: 'b' },
    });
  });

  it.each([
    ['fails', 'hook failed: exit code 1', 'hook failed: exit code 1'],
    ['says failedMessage', { failedMessage: 'cannot convert spec.x' }, 'cannot convert spec.x'],
    ['returns no objects', {}, 'convertedObjects is missing, expected a list of objects'],
    ['returns a list', [], 'got [], expected an object with convertedObjects'],
    ['returns too few', { convertedObjects: [] }, 'it returned 0 objects, expected the 1 that it was given'],
    ['returns no object', { convertedObjects: [7] }, 'convertedObjects[0]: got 7, expected an object'],
    [
      'returns another version',
      { convertedObjects: [object('v3', 'a')] },
      'convertedObjects[0].apiVersion: got "g.io/v3", expected "g.io/v2"',
    ],
    [
      'returns another kind',
      { convertedObjects: [object('v2', 'a', { kind: 'Pod' })] },
      'convertedObjects[0].kind: got "Pod", expected "CronTab"',
    ],
    [
      'returns another object',
      { convertedObjects: [object('v2', 'b')] },
      'convertedObjects[0].metadata.name: got "b", expected "a", which must not change',
    ],
    [
      'returns no metadata',
      { convertedObjects: [object('v2', 'a', { metadata: 1 })] },
      'convertedObjects[0].metadata: got 1, expected that of the object that it was given',
    ],
  ])('by a hook that %s fails with the hook, its rule and the reason', async (_law, response, message) => {
    const { result } = await converted([object('v1', 'a')], ['one v1 v2'], () => response);
    expect(result).toEqual({ type: 'failed', message: expect.stringContaining('hook one, v1 to v2: ') });
    expect(result).toEqual({ type: 'failed', message: expect.stringContaining(message) });
  });

  it('that no chain leads to while a hook is broken says so', async () => {
    const request = { uid: 'u', desiredAPIVersion: 'g.io/v2', objects: [object('v1', 'a')] };
    const ask = async () => ({ type: 'failed', message: 'not asked' }) as const;

    expect(
      await convert(request, { steps: [], ask, hasBroken: () => true, signal: new AbortController().signal }),
    ).toEqual({
      type: 'failed',
      message: expect.stringMatching(/there are: none; a hook is broken and does not run, see the log$/),
    });
  });

  it('that no chain leads to fails with the rules that there are', async () => {
    const { result } = await converted([object('v0', 'a')], ['one v1 v2']);
    expect(result).toEqual({
      type: 'failed',
      message: 'no hook converts from "g.io/v0" to g.io/v2; there are: v1 to v2',
    });
  });

  it('takes 10,000 objects in one request of each hook', async () => {
    const objects = Array.from({ length: 10_000 }, (_, index) => object('v1', `o${index}`));
    const { result, asked } = await converted(objects, ['one v1 v2']);
    expect(asked).toEqual(['one v1>v2: 10000']);
    expect(result.type === 'converted' && result.objects).toHaveLength(10_000);
  });
});

const review = (request: unknown, apiVersion = 'apiextensions.k8s.io/v1'): string =>
  JSON.stringify({ apiVersion, kind: 'ConversionReview', request });

describe('a ConversionReview', () => {
  const request = { uid: '1', desiredAPIVersion: 'g.io/v2', objects: [object('v1', 'a')] };

  it.each(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'])('of %s is read', (apiVersion) => {
    expect(readConversionReview(review(request, apiVersion))).toEqual({ type: 'review', apiVersion, request });
  });

  it.each([
    ['no JSON', '{', 'Invalid JSON payload'],
    ['a list', '[]', 'Invalid JSON payload'],
    ['without a request', review(null), 'Missing parameters: request'],
    ['of another version', review(request, 'v7'), 'apiVersion: expected one of'],
    ['without a uid', review({ ...request, uid: undefined }), 'expected uid'],
    ['without a version', review({ ...request, desiredAPIVersion: 2 }), 'expected uid, desiredAPIVersion'],
    ['without objects', review({ ...request, objects: undefined }), 'a list of objects'],
    ['with what is no object', review({ ...request, objects: [1] }), 'a list of objects'],
  ])('%s is refused', (_law, body, message) => {
    expect(readConversionReview(body)).toEqual({
      type: 'refused',
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it('is answered with whole numbers as they were', () => {
    const body = review(request).replace('"generation":3', '"generation":9007199254740993');
    const read = readConversionReview(body);
    const objects = read.type === 'review' ? read.request.objects : [];
    expect(conversionAnswer('apiextensions.k8s.io/v1', '1', { type: 'converted', objects })).toContain(
      '"generation":9007199254740993',
    );
  });

  it('is answered with the failure of the hook', () => {
    const text = conversionAnswer('apiextensions.k8s.io/v1', '1', { type: 'failed', message: 'why' });
    expect(JSON.parse(text)).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      response: { uid: '1', convertedObjects: [], result: { status: 'Failure', message: 'why' } },
    });
  });
});
