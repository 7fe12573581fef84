import { describe, expect, it, vi } from 'vitest';
import type { AdmissionBinding } from '../../../src/hook/ask-binding.ts';
import type { AskTrigger } from '../../../src/hook/trigger.ts';
import {
  createAdmissionEndpoint,
  type Verdict,
  type AdmissionEnded,
} from '../../../src/sources/admission/admission-endpoint.ts';
import type { ReviewRoom } from '../../../src/sources/review-room.ts';
import { never } from '../../support/hook-rig.ts';

const BINDING: AdmissionBinding = {
  type: 'kubernetesMutating',
  name: 'pods.example.com',
  rules: [],
  matchPolicy: 'Equivalent',
  sideEffects: 'None',
  timeoutSeconds: 10,
  matchConditions: [],
  includeSnapshotsFrom: [],
};

const ALLOWED: Verdict = { type: 'answered', allowed: true, message: '', warnings: [], patch: [] };
const REQUEST = { uid: 'u-1', operation: 'CREATE', object: { kind: 'Pod' }, oldObject: null, options: null };
const review = (request: unknown, more: object = {}): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request, ...more });

/** An endpoint whose hook says `verdict`, and what it was asked. */
function rig(
  verdict: Verdict | ((signal: AbortSignal) => Promise<Verdict>) = ALLOWED,
  { isCompared = true, room = () => () => {} }: { readonly isCompared?: boolean; readonly room?: ReviewRoom } = {},
) {
  const asked: { trigger: AskTrigger; object: unknown }[] = [];
  const ended = vi.fn<(ended: AdmissionEnded) => void>();
  const endpoint = createAdmissionEndpoint({
    hook: 'pods.sh',
    binding: BINDING,
    room,
    judge: async (trigger, object, signal) => {
      asked.push({ trigger, object: isCompared ? object() : undefined });
      return typeof verdict === 'function' ? verdict(signal) : verdict;
    },
    onEnd: ended,
  });
  const post = async (body: string | Buffer, more: { contentType?: string; timeoutMs?: number } = {}) =>
    endpoint({ body: Buffer.from(body), contentType: 'application/json', signal: never, ...more });
  return { asked, post, results: () => ended.mock.calls.map(([{ result }]) => result) };
}

describe('a body that is no AdmissionReview', () => {
  it.each([
    [
      'a wrong content type',
      review(REQUEST),
      'text/plain',
      415,
      'content type "text/plain", expected application/json',
    ],
    ['no content type', review(REQUEST), '', 415, 'content type "", expected application/json'],
    ['no JSON', '{"request":', 'application/json', 400, 'Invalid JSON payload'],
    [
      'more than 10000 levels',
      review({}).replace('{}', `${'['.repeat(10_001)}${']'.repeat(10_001)}`),
      'application/json',
      400,
      'Invalid JSON payload',
    ],
    ['nothing', '', 'application/json', 400, 'Invalid JSON payload'],
    ['a list', '[]', 'application/json', 400, 'Invalid JSON payload: expected an AdmissionReview'],
    ['no request', '{}', 'application/json', 400, 'Missing parameters: request'],
    ['a null request', review(null), 'application/json', 400, 'Missing parameters: request'],
    ['a request that is text', review('x'), 'application/json', 400, 'Invalid JSON payload: request is no object'],
    ['a request without uid', review({}), 'application/json', 400, 'Missing parameters: request.uid'],
    [
      'another version',
      review(REQUEST, { apiVersion: 'admission.k8s.io/v9' }),
      'application/json',
      400,
      'Invalid JSON payload: apiVersion "admission.k8s.io/v9", expected admission.k8s.io/v1',
    ],
  ])('%s is refused, and no hook is asked', async (_, ...[body, contentType, status, text]) => {
    const { post, asked, results } = rig();

    expect(await post(body, { contentType })).toMatchObject({ status, body: `${text}\n` });
    expect(asked).toEqual([]);
    expect(results()).toEqual(['invalid']);
  });
});

describe('a review', () => {
  it.each(['application/json', 'Application/JSON; charset=utf-8'])('is taken as %s', async (contentType) => {
    const { post } = rig();

    expect(await post(review(REQUEST), { contentType })).toMatchObject({ status: 200, type: 'application/json' });
  });

  it('becomes a context with the request as it came, large numbers too', async () => {
    const { post, asked } = rig();
    const text = '{"uid":"u-1", "dryRun":true, "object":{"n":12345678901234567890,"s":"\\u003c"},"operation":"CREATE"}';

    await post(`{"kind":"AdmissionReview","request":${text},"apiVersion":"admission.k8s.io/v1"}`);

    expect(asked).toEqual([
      {
        trigger: {
          type: 'ask',
          binding: BINDING,
          contextType: 'Mutating',
          members: { review: `{"request":${text.slice(0, -1)},"oldObject":null,"options":null}}` },
          isDryRun: true,
          about: { operation: 'CREATE', kind: '', namespace: '', name: '', user: '' },
        },
        object: { n: Number('12345678901234567890'), s: '<' },
      },
    ]);
  });

  it.each([
    ['web', { name: 'web', object: { metadata: { name: 'other' } } }],
    ['made', { object: { metadata: { name: 'made', generateName: 'web-' } } }],
    ['web-*', { object: { metadata: { generateName: 'web-' } } }],
    ['', { object: null }],
    ['', { object: { metadata: 'x' } }],
  ])('is about %j with its sender, as text that can be printed', async (name, more) => {
    const { post, asked } = rig();
    const said = {
      kind: { kind: 'Pod' },
      namespace: 'a\n\u001b[31m',
      userInfo: { username: 'u'.repeat(300) },
      ...more,
    };

    await post(review({ uid: 'u-1', operation: 'CREATE', ...said }));

    expect(asked[0]?.trigger.about).toEqual({
      operation: 'CREATE',
      kind: 'Pod',
      namespace: String.raw`a\n\u001b[31m`,
      name,
      user: 'u'.repeat(253),
    });
  });

  it('is not parsed for the hook, so that a crowd of large ones takes no more room than their texts', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const { post } = rig(
      async () => {
        expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(100);
        return ALLOWED;
      },
      { isCompared: false },
    );

    const { status } = await post(review({ ...REQUEST, object: { values: Array.from({ length: 1000 }, () => ({})) } }));

    parse.mockRestore();
    expect(status).toBe(200);
  });

  it.each(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'])(
    'of %s is answered in this version',
    async (apiVersion) => {
      const { post } = rig();

      expect(JSON.parse((await post(review(REQUEST, { apiVersion }))).body)).toEqual({
        apiVersion,
        kind: 'AdmissionReview',
        response: { uid: 'u-1', allowed: true },
      });
    },
  );

  it('without a version is answered as v1', async () => {
    expect(JSON.parse((await rig().post(JSON.stringify({ request: REQUEST }))).body)).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
    });
  });
});

describe('the answer', () => {
  const steps = [{ op: 'remove', path: '/a' }];
  it.each<[string, Verdict, object, string]>([
    ['allowed', ALLOWED, { allowed: true }, 'allowed'],
    [
      'allowed with warnings',
      { ...ALLOWED, warnings: ['careful'] },
      { allowed: true, warnings: ['careful'] },
      'allowed',
    ],
    [
      'a patch',
      { ...ALLOWED, patch: steps },
      { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(steps)).toString('base64') },
      'allowed',
    ],
    [
      'a denial',
      { ...ALLOWED, allowed: false, message: 'no', warnings: ['w'], patch: steps },
      { allowed: false, status: { code: 403, message: 'no' }, warnings: ['w'] },
      'denied',
    ],
    [
      'a denial without a reason',
      { ...ALLOWED, allowed: false },
      { allowed: false, status: { code: 403, message: '' } },
      'denied',
    ],
    [
      'a hook that failed',
      { type: 'failed', status: 403, reason: 'exit code 1' },
      {
        allowed: false,
        status: { code: 403, message: 'Hook failed: hook pods.sh, kubernetesMutating pods.example.com: exit code 1' },
      },
      'failed',
    ],
  ])('says %s', async (_, verdict, response, result) => {
    const { post, results } = rig(verdict);

    expect(JSON.parse((await post(review(REQUEST))).body)).toMatchObject({ response: { uid: 'u-1', ...response } });
    expect(results()).toEqual([result]);
  });

  it('denies a patch of 9,000 levels, with the reason', async () => {
    const value: unknown = JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`);
    const { post, results } = rig({ ...ALLOWED, patch: [{ op: 'add', path: '/a', value }] });

    expect(JSON.parse((await post(review(REQUEST))).body)).toMatchObject({
      response: { allowed: false, status: { message: expect.stringContaining('its patch is nested too deeply') } },
    });
    expect(results()).toEqual(['failed']);
  });

  it.each([429, 503] as const)('leaves it to failurePolicy with %s where the hook was not asked', async (status) => {
    const { post, results } = rig({ type: 'refused', status, reason: 'too much' });

    expect(await post(review(REQUEST))).toMatchObject({
      status,
      body: 'hook pods.sh, kubernetesMutating pods.example.com: too much\n',
    });
    expect(results()).toEqual(['refused']);
  });

  it.each([
    ['says 10 s', 10_000, 9500, '9.5s'],
    ['says 600 ms', 600, 300, '300ms'],
    ['says nothing, and the webhook has 10 s', undefined, 9500, '9.5s'],
  ])('comes before its caller stops to wait: one that %s', async (_, timeoutMs, limitMs, text) => {
    vi.useFakeTimers();
    try {
      const ends: AbortSignal[] = [];
      const { post, results } = rig(async (signal) => {
        ends.push(signal);
        return new Promise(() => {});
      });
      const answer = post(review(REQUEST), timeoutMs === undefined ? {} : { timeoutMs });
      await vi.advanceTimersByTimeAsync(limitMs - 1);
      expect(ends[0]?.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(1);

      expect(await answer).toMatchObject({
        status: 500,
        body: `hook pods.sh, kubernetesMutating pods.example.com: no answer within ${text}\n`,
      });
      expect(ends[0]?.aborted).toBe(true);
      expect(results()).toEqual(['timeout']);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a review of many values', () => {
  const withValues = (values: string): string =>
    review({ ...REQUEST, object: { kind: 'Pod', x: 'here' } }).replace('"here"', `[${values}1]`);

  it('above 4000000 is refused before a hook is asked, for they would take the room of all others', async () => {
    const { asked, post, results } = rig();

    const reply = await post(withValues('1,'.repeat(4_000_000)));

    expect(reply).toMatchObject({ status: 413, body: 'the review has more than 4000000 values\n' });
    expect([asked, results()]).toEqual([[], ['invalid']]);
  });

  it('above 20000 shares the room of those, which it gives back, and without room the API server tries again', async () => {
    const taken: string[] = [];
    const large = withValues('1,'.repeat(20_000));
    const one = rig(ALLOWED, {
      room: (values) => {
        taken.push(`took ${values > 20_000}`);
        return () => taken.push('gave back');
      },
    });
    const full = rig(ALLOWED, { room: () => undefined });

    const replies = [await one.post(large), await one.post(review(REQUEST)), await full.post(large)];

    expect(taken).toEqual(['took true', 'gave back']);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect([full.asked, full.results()]).toEqual([[], ['refused']]);
  });
});

describe('what a hook says to the user', () => {
  it('controls no terminal', async () => {
    const message = 'no \u001b[31mred\u202e\nsecond line';
    const { post } = rig({ type: 'answered', allowed: false, message, warnings: [message], patch: [] });

    const { response } = JSON.parse((await post(review(REQUEST))).body);

    expect(response).toMatchObject({
      status: { code: 403, message: 'no \\u001b[31mred\\u202e\nsecond line' },
      warnings: ['no \\u001b[31mred\\u202e\\nsecond line'],
    });
  });
});
