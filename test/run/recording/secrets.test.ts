import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordingMaker, type RawRun } from '../../../src/run/recording/recording-job.ts';
import type { Recording } from '../../../src/run/recording/recording.ts';

const RUN_ID = '05f8c339-b420-40e4-a5b0-059ff51fcf9f';
const record = {
  id: RUN_ID,
  hook: 'hook.sh',
  binding: 'pods',
  queue: 'main',
  reason: 'Added default/web',
  attempt: 1,
  objects: [{ kind: 'ConfigMap', namespace: 'default', name: 'web', event: 'Added' }],
  queued: '2026-01-05T00:00:00.000Z',
  started: '2026-01-05T00:00:00.000Z',
  waitedMs: 0,
  outcome: 'failed',
  patches: [],
  lines: 1,
};

interface Given {
  readonly contexts: readonly unknown[];
  readonly outputs?: Readonly<Record<string, string>>;
  readonly printed?: readonly string[];
  readonly error?: string;
  readonly secretBindings?: readonly string[];
  readonly redact?: readonly (readonly string[])[];
}

function rawRun({ contexts, outputs = {}, printed = [], error = 'it failed', ...rules }: Given): RawRun {
  const log = printed.map((line) => ({ stream: 'stdout', line }));
  return {
    id: RUN_ID,
    hooklet: '1.0.0',
    record: JSON.stringify({ ...record, error, log }),
    hook: { name: 'hook.sh', type: 'process' },
    env: { RUN_ID },
    contexts: Buffer.from(JSON.stringify(contexts)),
    ending: { type: 'succeeded' },
    outputs,
    redact: rules.redact ?? [],
    secretBindings: rules.secretBindings ?? [],
  };
}

function recorded(given: Given, maker = new RecordingMaker(randomBytes(32))): Recording {
  const made = maker.make(rawRun(given));
  if (made.type !== 'recorded') throw new Error(made.why);
  return JSON.parse(gunzipSync(made.bytes).toString());
}

const base64 = (value: string): string => Buffer.from(value).toString('base64');
const secretOf = (data: object, fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'tls', namespace: 'default' },
  data,
  ...fields,
});
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((one, key) => (one as Record<string, unknown> | undefined)?.[key], value);

/** Values that stand out: nothing else in a recording has them by chance. */
const value = fc
  .tuple(
    fc.constantFrom('p4ss-', 'Ünï"\\', 'a b\n', '$x&/=+?'),
    fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme' }),
  )
  .map(([head, rest]) => `${head}Q7${rest.trim()}z9Zq`);

const unicodeEscape = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** What a filter or a hook may make of a value. */
const uses = fc.constantFrom<(secret: string) => unknown>(
  (secret) => secret,
  (secret) => base64(secret),
  (secret) => `before ${secret} after`,
  (secret) => ({ deep: [{ url: `https://me:${encodeURIComponent(secret)}@host` }] }),
  (secret) => new URLSearchParams({ key: secret }).toString(),
  (secret) => JSON.stringify({ key: secret }).replaceAll(/[^ -~]/g, unicodeEscape),
  (secret) => base64(`user:${secret}`),
  (secret) => JSON.stringify({ kind: 'Config', password: secret }),
  (secret) => ({ [secret]: true }),
  (secret) => base64(base64(secret)).replaceAll('=', ''),
);

/** The places that a Secret may come from. */
const sources = fc.constantFrom<(secret: string) => object>(
  (secret) => ({ binding: 'secrets', type: 'Event', watchEvent: 'Added', object: secretOf({ key: base64(secret) }) }),
  (secret) => ({ binding: 'secrets', type: 'Event', object: secretOf({}, { stringData: { key: secret } }) }),
  (secret) => ({
    binding: 'x',
    type: 'Schedule',
    snapshots: { secrets: [{ object: secretOf({ key: base64(secret) }) }] },
  }),
  (secret) => ({ binding: 'secrets', type: 'Synchronization', objects: [{ filterResult: { deep: [secret] } }] }),
  (secret) => ({
    binding: 'review',
    type: 'Validating',
    review: { request: { oldObject: secretOf({ key: base64(secret) }), object: null } },
  }),
  (secret) => ({ binding: 'texts', type: 'Event', filterResult: JSON.stringify(secretOf({ key: base64(secret) })) }),
  (secret) => ({
    binding: 'lists',
    type: 'Event',
    object: {
      apiVersion: 'v1',
      kind: 'SecretList',
      items: [{ metadata: { name: 'x' }, data: { key: base64(secret) } }],
    },
  }),
  (secret) => ({
    binding: 'secrets',
    type: 'Event',
    object: secretOf(
      {},
      {
        metadata: {
          name: 'tls',
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secretOf({ key: base64(secret) })),
          },
        },
      },
    ),
  }),
);

/** Every form of the value, as it would be found in JSON. */
function formsOf(secret: string): readonly string[] {
  const ascii = JSON.stringify(secret)
    .slice(1, -1)
    .replaceAll(/[^ -~]/g, unicodeEscape);
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  const texts = [secret, ascii, encodeURIComponent(secret), form, base64(secret).replaceAll('=', '')];
  return [...texts, ...texts.map((text) => JSON.stringify(text).slice(1, -1))];
}

describe('the masks of recordings', () => {
  it('no recording has the value of a Secret, whatever hooks and filters make of it', () => {
    fc.assert(
      fc.property(value, sources, uses, uses, (secret, source, inContext, inOutput) => {
        const made = recorded({
          contexts: [source(secret), { binding: 'pods', type: 'Event', filterResult: inContext(secret) }],
          outputs: {
            patch: JSON.stringify({
              operation: 'MergePatch',
              kind: 'Pod',
              name: 'web',
              mergePatch: { spec: inOutput(secret) },
            }),
            metrics: JSON.stringify({ name: 'm', action: 'set', value: 1, labels: { l: inOutput(secret) } }),
            result: JSON.stringify({ message: secret, output: inContext(secret) }),
            admission: JSON.stringify({
              allowed: true,
              patch: base64(JSON.stringify([{ op: 'add', path: '/x', value: inOutput(secret) }])),
            }),
          },
          printed: [...`key ${JSON.stringify(inOutput(secret))}`.split('\n'), ...secret.split('\n')],
          error: `failed with ${secret}`,
          secretBindings: ['secrets'],
        });
        const text = JSON.stringify(made);
        const decoded = text.replaceAll(/[A-Za-z0-9+/]{8,}={0,2}/g, (token) => Buffer.from(token, 'base64').toString());
        for (const form of formsOf(secret)) {
          expect(text).not.toContain(form);
          expect(decoded).not.toContain(form);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('no recording has what a hook writes into a Secret, as JSON, YAML, a JSON patch or a program of jq', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^Q7[a-z]{8,20}z9$/), (secret) => {
        const operations = [
          { operation: 'Create', object: secretOf({ key: base64(secret) }) },
          { operation: 'CreateOrUpdate', object: `kind: Secret\nmetadata: {name: a}\nstringData: {key: ${secret}}` },
          { operation: 'MergePatch', kind: 'Secret', name: 'a', mergePatch: { data: { key: base64(secret) } } },
          { operation: 'MergePatch', kind: 'secrets', name: 'a', mergePatch: `{"stringData":{"key":"${secret}"}}` },
          {
            operation: 'JSONPatch',
            kind: 'Secret',
            name: 'a',
            jsonPatch: [{ op: 'add', path: '/data/key', value: base64(secret) }],
          },
          {
            operation: 'JSONPatch',
            kind: 'Secret',
            name: 'a',
            jsonPatch: [{ op: 'add', path: '', value: secretOf({ key: base64(secret) }) }],
          },
          ...[
            { op: 'replace', path: '', value: { data: { key: base64(secret) } } },
            { op: 'test', path: '/data', value: { key: base64(secret) } },
            { op: 'add', path: '/stringData', value: { key: secret } },
          ].map((step) => ({ operation: 'JSONPatch', kind: 'Secret', name: 'a', jsonPatch: [step] })),
          { operation: 'JQPatch', kind: 'Secret', name: 'a', jqFilter: `.data.key = ("${secret}" | @base64)` },
          { operation: 'Create', object: `{"kind": "Secret", "data": ${secret}` },
        ];
        const yaml = `operation: Create\nobject:\n  kind: Secret\n  stringData:\n    key: ${secret}\n`;
        for (const patch of [...operations.map((one) => JSON.stringify(one)), yaml, `broken: [${secret}`]) {
          const text = JSON.stringify(recorded({ contexts: [], outputs: { patch } }));
          for (const form of formsOf(secret)) expect(text).not.toContain(form);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('equal values have equal marks within one operator, and others in another one', () => {
    const maker = new RecordingMaker(randomBytes(32));
    const given = {
      contexts: [{ binding: 'a', object: secretOf({ one: base64('hunter22'), two: base64('hunter22\n') }) }],
    };
    const [first, second, other] = [recorded(given, maker), recorded(given, maker), recorded(given)];
    const one = String(at(first.contexts[0], 'object', 'data', 'one'));
    const mark = Buffer.from(one, 'base64').toString();

    expect(mark).toMatch(/^masked-[0-9a-f]{17}$/);
    expect(at(first.contexts[0], 'object', 'data', 'two')).toBe(base64(`${mark}\n`));
    expect(second.contexts).toEqual(first.contexts);
    expect(other.contexts).not.toEqual(first.contexts);
  });

  it('a value has the same mark as text, in base64 and within other text', () => {
    const { contexts, printed, run } = recorded({
      contexts: [
        { binding: 'a', object: secretOf({ key: base64('hunter22') }) },
        { binding: 'b', filterResult: { text: 'hunter22', encoded: base64('hunter22'), pin: 1 } },
      ],
      printed: ['the key is hunter22!'],
      error: 'hunter22 was refused',
    });
    const mark = String(at(contexts[1], 'filterResult', 'text'));

    expect(contexts[1]?.['filterResult']).toEqual({ text: mark, encoded: base64(mark), pin: 1 });
    expect(at(contexts[0], 'object', 'data', 'key')).toBe(base64(mark));
    expect(printed).toEqual([{ stream: 'stdout', line: `the key is ${mark}!` }]);
    expect(run.error).toBe(`${mark} was refused`);
  });

  it.each(['', '\n', '\r', '\r\n\n'])('bytes that are no text are found too where they end with %j', (end) => {
    const bytes = Buffer.concat([Buffer.from([0xff]), randomBytes(22), Buffer.from([0xfe]), Buffer.from(end)]);
    const key = bytes.toString('base64');
    const { contexts } = recorded({
      contexts: [{ binding: 'a', object: secretOf({ key }), filterResult: { key } }],
    });

    expect(at(contexts[0], 'filterResult', 'key')).toBe(at(contexts[0], 'object', 'data', 'key'));
    expect(JSON.stringify(contexts)).not.toContain(key);
  });

  it('lines of a value and the texts in one that is JSON are found too', () => {
    const lines = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkq', '-----END KEY-----'];
    const data = {
      pem: base64(`${lines.join('\n')}\n`),
      json: base64(JSON.stringify({ auths: { host: { password: 'hunter22' } } })),
    };
    const { printed } = recorded({
      contexts: [{ binding: 'a', object: secretOf(data) }],
      printed: [...lines, 'with hunter22'],
    });

    const text = JSON.stringify(printed);
    for (const line of [...lines, 'hunter22']) expect(text).not.toContain(line);
  });

  it.each([
    ['JSON of ASCII', 'pässwörd123', String.raw`"p\u00e4ssw\u00F6rd123"`, '"MARK"'],
    ['JSON of ASCII, with a pair', 'one😀two', String.raw`"one\ud83d\ude00two"`, '"MARK"'],
    ['JSON as Go writes it', 'a&b<c>defGH1', String.raw`"a\u0026b\u003cc\u003edefGH1"`, '"MARK"'],
    ['JSON as PHP writes it', 'one/two/three', String.raw`"one\/two\/three"`, '"MARK"'],
    [
      'JSON within JSON',
      String.raw`qu"ote\secretQ`,
      String.raw`{"m":"\"qu\\\"ote\\\\secretQ\""}`,
      String.raw`{"m":"\"MARK\""}`,
    ],
    ['YAML of ASCII', 'pässwörd123', String.raw`"p\xE4ssw\xF6rd123"`, '"MARK"'],
    ['a word of a shell', `it's a "secret"`, String.raw`it\'s\ a\ \"secret\"`, 'MARK'],
    ['a URL', 'qu"ote/sec ret+Q', 'http://a/?b=qu%22ote%2Fsec%20ret%2BQ&c', 'http://a/?b=MARK&c'],
    ['a URL that keeps slashes', String.raw`qu"ote\sec/ret+Q`, 'qu%22ote%5Csec/ret%2BQ', 'MARK'],
    ['a URL in small letters', 'pässwörd😀', 'p%c3%a4ssw%c3%b6rd%f0%9f%98%80', 'MARK'],
    ['a form', 'sp4ce Nl+Secret', 'a=1&b=sp4ce+Nl%2BSecret', 'a=1&b=MARK'],
    ['a form, at the end', 'sp4ceNlSecret \n', 'sp4ceNlSecret+%0A', 'MARK%0A'],
    ['JSON in a URL', String.raw`qu"ote\secretQ`, '%22qu%5C%22ote%5C%5CsecretQ%22', '%22MARK%22'],
    ['base64 in a URL', 'n~~secret~~', encodeURIComponent(base64('n~~secret~~')), base64('MARK')],
    ['stripped', '  sp4cedSecretQ  ', 'it is sp4cedSecretQ.', 'it is MARK.'],
    ['a line of six characters', 'lineOneSecret\nsix6Ab\nseven7c', 'six6Ab, seven7c', 'MARK, MARK'],
    ['a line after a carriage return', 'firstMidCrAAA\rsecondMidCrBB\rthird', '> secondMidCrBB', '> MARK'],
    ['a line, in JSON', 'lineOneSecret\nsec"ond"', String.raw`"sec\"ond\""`, '"MARK"'],
    ['cut in JSON', 'pässwort-ö', String.raw`"p\u00e4sswort-\u00f…`, '"MARK…'],
    ['cut in a URL', 'pässwort-ö', 'p%C3%A4sswort-%C3%…', 'MARK…'],
    ['cut before an escape', String.raw`secret"\one`, String.raw`secret\"\…`, 'MARK…'],
  ])('a value is found in %s', (_name, secret, line, expected) => {
    const { printed } = recorded({ contexts: [{ object: secretOf({ key: base64(secret) }) }], printed: [line] });

    const text = String(printed[0]?.line).replaceAll(/bWFza2Vk[\w+/]{24}/g, base64('MARK'));
    expect(text.replaceAll(/masked-[0-9a-f]{17}/g, 'MARK')).toBe(expected);
  });

  it('bytes that are no text are found in base64 with something before and after them', () => {
    for (let length = 8; length <= 100; length += 1) {
      const bytes = Buffer.concat([Buffer.from([0xff]), randomBytes(length - 2), Buffer.from([0xfe])]);
      const object = secretOf({ key: bytes.toString('base64') });
      const line = Buffer.concat([Buffer.from('user:'), bytes, Buffer.from('.')]).toString('base64');
      const { printed } = recorded({ contexts: [{ object }], printed: [`Basic ${line}`] });

      const [, masked] = String(printed[0]?.line).split(' ');
      expect(Buffer.from(masked ?? '', 'base64').toString()).toMatch(/^user:masked-[0-9a-f]{17}\.$/);
    }
  });

  it('words in the lines of a value stay', () => {
    const printed = ['users: default'];
    const { printed: lines } = recorded({
      contexts: [{ object: secretOf({ key: base64('kind: Config\nusers:\ndefault\n') }) }],
      printed,
    });

    expect(lines[0]?.line).toBe('users: default');
  });

  it('what is left of a value where a text was cut is found too', () => {
    const { printed, run } = recorded({
      contexts: [{ binding: 'a', object: secretOf({ key: base64('hunter22-and-more') }) }],
      printed: ['a long line with hunter22-an…'],
      error: 'got "hunter22…", expected a number',
    });

    expect(printed[0]?.line).toMatch(/^a long line with masked-[0-9a-f]{17}…$/);
    expect(run.error).toMatch(/^got "masked-[0-9a-f]{17}…", expected a number$/);
  });

  it('what a filter made of a Secret is masked, but its name, its labels and the names of its keys are not', () => {
    const object = secretOf({ key: base64('one:two-three') }, { type: 'Opaque' });
    const filterResult = { name: 'tls', part: 'two-three', type: 'Opaque', keys: ['key'], count: 1, pin: 123_456 };
    const { contexts } = recorded({
      contexts: [{ binding: 'secrets', type: 'Event', object, filterResult }],
      secretBindings: ['secrets'],
    });

    const masked = contexts[0]?.['filterResult'];
    expect(masked).toMatchObject({ name: 'tls', type: 'Opaque', keys: ['key'], count: 1 });
    expect(JSON.stringify(masked)).not.toMatch(/two-three|123456/);
  });

  it('the fields that a hook names are masked in contexts and patches, with everything in them', () => {
    const { contexts, outputs } = recorded({
      contexts: [
        { binding: 'a', object: { apiVersion: 'x/v1', kind: 'App', spec: { users: [{ name: 'ann', token: 'abc' }] } } },
        { binding: 'b', filterResult: 'a long password' },
      ],
      outputs: {
        patch: JSON.stringify({
          operation: 'JSONPatch',
          kind: 'App',
          name: 'a',
          jsonPatch: [{ op: 'add', path: '/spec/auth/password', value: 'a long password' }],
        }),
      },
      redact: [
        ['spec', 'users', 'token'],
        ['auth', '*'],
      ],
    });

    expect(at(contexts[0], 'object', 'spec', 'users', 0)).toMatchObject({
      name: 'ann',
      token: expect.stringMatching(/^masked-/),
    });
    expect(JSON.stringify([contexts[1], outputs])).not.toContain('long password');
  });

  it('names, kinds and the namespace that a ServiceAccount token names stay, though a Secret has them as a value', () => {
    const token = secretOf({ namespace: base64('default'), kind: base64('ConfigMap') });
    const web = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ConfigMap', namespace: 'default' } };
    const { contexts } = recorded({
      contexts: [
        { binding: 'a', object: token },
        { binding: 'b', object: web, filterResult: 'default' },
      ],
    });

    expect(at(contexts[0], 'object', 'data', 'namespace')).toBe(base64('default'));
    expect(contexts[1]).toEqual({ binding: 'b', object: web, filterResult: 'default' });
  });

  it('numbers that JavaScript cannot hold stay as they were', () => {
    const raw = rawRun({ contexts: [] });
    const contexts = Buffer.from('[{"binding":"a","object":{"big":12345678901234567890}}]');
    const made = new RecordingMaker(randomBytes(32)).make({ ...raw, contexts });

    expect(made.type === 'recorded' && gunzipSync(made.bytes).toString()).toContain('{"big":12345678901234567890}');
  });

  it('a run with more values of Secrets than can be masked is refused', () => {
    const data = Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`k${at}`, base64(`eyJhbGciOiJ${at}`)]));
    const made = new RecordingMaker(randomBytes(32)).make(rawRun({ contexts: [{ object: secretOf(data) }] }));

    expect(made).toMatchObject({ type: 'refused', why: 'it could not be masked (TooManyValuesError)' });
  });

  it('a run that cannot be masked is refused, without a value in the reason', () => {
    const maker = new RecordingMaker(randomBytes(32));
    expect(maker.make({ ...rawRun({ contexts: [] }), contexts: Buffer.from('[hunter22') })).toEqual({
      type: 'refused',
      id: RUN_ID,
      why: 'it could not be masked (SyntaxError)',
    });
  });
});
