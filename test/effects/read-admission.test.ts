import { describe, expect, it } from 'vitest';
import { HookOutputError } from '../../src/errors.ts';
import { readAdmission } from '../../src/effects/read-admission.ts';

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { hostNetwork: true } };
const STEPS = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }];
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

const read = (response: unknown, isMutating = true, object: unknown = POD) =>
  readAdmission(typeof response === 'string' ? response : JSON.stringify(response), {
    isMutating,
    object: () => object,
  });

function refused(text: string): HookOutputError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof HookOutputError) return error;
  }
  throw new Error(`${text} was taken`);
}

const NONE = { message: '', warnings: [], patch: [], mistakes: [] };

describe('the response of an admission hook', () => {
  it.each([
    ['allows', { allowed: true }, { ...NONE, allowed: true }],
    ['allows with warnings', { allowed: true, warnings: ['a', 'b'] }, { ...NONE, allowed: true, warnings: ['a', 'b'] }],
    ['denies with a message', { allowed: false, message: 'no' }, { ...NONE, allowed: false, message: 'no' }],
    ['denies without a message', { allowed: false }, { ...NONE, allowed: false }],
    ['denies with a message alone', { message: 'no' }, { ...NONE, allowed: false, message: 'no' }],
    ['has keys in any case', { Allowed: true, Message: 'x' }, { ...NONE, allowed: true, message: 'x' }],
    ['has nulls', { allowed: true, message: null, patch: null, warnings: null }, { ...NONE, allowed: true }],
    ['has an empty patch', { allowed: true, patch: '' }, { ...NONE, allowed: true }],
    ['has a patch of no steps', { allowed: true, patch: [] }, { ...NONE, allowed: true }],
    ['has a patch in base64', { allowed: true, patch: base64(STEPS) }, { ...NONE, allowed: true, patch: STEPS }],
    [
      'has a patch in base64 with line ends',
      { allowed: true, patch: base64(STEPS).replaceAll(/(.{20})/g, '$1\n') },
      { ...NONE, allowed: true, patch: STEPS },
    ],
    ['has a patch as JSON', { allowed: true, patch: STEPS }, { ...NONE, allowed: true, patch: STEPS }],
    ['has a patch as text', { allowed: true, patch: JSON.stringify(STEPS) }, { ...NONE, allowed: true, patch: STEPS }],
    [
      'has the whole object',
      { allowed: true, object: { ...POD, spec: { hostNetwork: false } } },
      { ...NONE, allowed: true, patch: [{ op: 'replace', path: '/spec/hostNetwork', value: false }] },
    ],
    ['has the object as it was', { allowed: true, object: POD }, { ...NONE, allowed: true }],
  ])('that %s is taken', (_, response, expected) => {
    expect(read(response)).toEqual(expected);
  });

  const after = '9007199254740993';
  it.each([
    ['a patch', `{"allowed":true,"patch":[{"op":"replace","path":"/n","value":${after}}]}`],
    [
      'a patch as text',
      `{"allowed":true,"patch":"[{\\"op\\":\\"replace\\",\\"path\\":\\"/n\\",\\"value\\":${after}}]"}`,
    ],
    ['the whole object', `{"allowed":true,"object":{"n":${after}}}`],
    ['the whole object, in place of an object', `{"allowed":true,"object":{"n":${after}}}`, { n: { a: 1 } }],
  ])('keeps all digits of numbers above 2^53 in %s', (_, response, object: object = { n: 1 }) => {
    const { patch } = read(response, true, object);

    expect(JSON.stringify(patch)).toBe(`[{"op":"replace","path":"/n","value":${after}}]`);
  });

  it('takes a number of the whole object that is equal as a double as no change', () => {
    const object: unknown = JSON.parse('{"n":9007199254740993}');

    expect(read('{"allowed":true,"object":{"n":9007199254740993}}', true, object).patch).toEqual([]);
    expect(read('{"allowed":true,"object":{"n":9007199254740992}}', true, object).patch).toEqual([]);
  });

  it.each([
    ['is empty', '', /is empty; the hook must write/],
    ['is no JSON', 'allowed: true', /is not one JSON object/],
    ['is two documents', '{"allowed":true}\n{"allowed":false}', /is not one JSON object/],
    ['is an array', '[{"allowed":true}]', /holds an array of 1, expected one JSON object with allowed/],
    ['says nothing', {}, /allowed: is missing, expected true or false$/],
    ['has allowed misspelled', { allow: true }, /allowed: is missing, .*; unknown field allow, did you mean allowed\?/],
    ['has allowed as text', { allowed: 'true' }, /allowed: received "true", expected true or false/],
    ['has allowed as a word for true', { allowed: 'yes' }, /allowed: received "yes", expected true or false/],
    [
      'has allowed in 2 ways of writing',
      { Allowed: true, ALLOWED: false },
      /allowed: is given 2 times, as Allowed and ALLOWED/,
    ],
    ['has no object where one was meant', { allowed: true, object: null }, /object: received null, expected the whole/],
    ['has a message that is no text', { allowed: true, message: 1 }, /message: received 1, expected a string/],
    ['has warnings that are no list', { allowed: true, warnings: 'a' }, /warnings: received "a", expected a list/],
    ['has a warning that is no text', { allowed: true, warnings: [1] }, /warnings: .*expected a list of strings/],
    ['has a patch that is no base64', { allowed: true, patch: '%%' }, /patch: received "%%", expected a JSON Patch/],
    ['has base64 of no JSON', { allowed: true, patch: 'bm8=' }, /patch: holds no JSON in base64/],
    [
      'has base64 of an object',
      { allowed: true, patch: base64({}) },
      /patch: holds an object with 0 key\(s\) in base64/,
    ],
    [
      'has a patch with an unknown op',
      { allowed: true, patch: [{ op: 'set', path: '/a' }] },
      /patch\[0\]\.op: received "set"/,
    ],
    [
      'has a step without a value',
      { allowed: true, patch: [{ op: 'add', path: '/a' }] },
      /patch\[0\]\.value: is missing/,
    ],
    ['has a step without a path', { allowed: true, patch: [{ op: 'remove' }] }, /patch\[0\]\.path: is missing/],
    ['has patch and object', { allowed: true, patch: STEPS, object: POD }, /object: is given beside patch/],
    [
      'has an object of another kind',
      { allowed: true, object: { ...POD, kind: 'Node' } },
      /object\.kind: received "Node"/,
    ],
    [
      'has an object without a kind',
      { allowed: true, object: { apiVersion: 'v1' } },
      /object\.kind: is missing; give the whole object, not only changes/,
    ],
    ['has an object that is none', { allowed: true, object: 'x' }, /object: received "x", expected the whole object/],
  ])('that %s is refused with its reason', (_, response, message) => {
    expect(() => read(response)).toThrow(message);
  });

  it('that is refused is described to callers without any value that the hook wrote', () => {
    const responses = [
      { allowed: 'S3CRET' },
      { allowed: 'S3CRET, expected S3CRET' },
      'S3CRET',
      ['S3CRET'],
      { allowed: true, message: { text: 'S3CRET' }, warnings: 'S3CRET' },
      { allowed: true, patch: 'S3CRET' },
      { allowed: true, patch: Buffer.from('"S3CRET"').toString('base64') },
      { allowed: true, patch: [{ op: 'S3CRET', path: '/S3CRET' }, 'S3CRET'] },
      { allowed: true, object: 'S3CRET' },
      { allowed: true, object: { ...POD, kind: 'S3CRET' } },
    ];

    for (const response of responses) {
      const text = JSON.stringify(response);
      const { brief } = refused(text);
      expect(brief, text).toMatch(/^ADMISSION_RESPONSE_PATH.*: .*expected/);
      expect(brief, text).not.toContain('S3CRET');
    }
    expect(refused('{"allowed":"yes"}').brief).toBe(
      'ADMISSION_RESPONSE_PATH is invalid: allowed: expected true or false',
    );
  });

  it('may have a null for the object beside one for the patch, as languages write that write all fields', () => {
    expect(read({ allowed: true, message: '', patch: null, object: null })).toEqual({ ...NONE, allowed: true });
  });

  it('cannot change what is deleted', () => {
    expect(() => read({ allowed: true, object: POD }, true, null)).toThrow(/the request has no object/);
  });

  it.each([{ patch: STEPS }, { object: POD }])('of a validating webhook changes nothing: %j', (change) => {
    const { patch, mistakes } = read({ allowed: true, ...change }, false);

    expect(patch).toEqual([]);
    expect(mistakes).toEqual([expect.stringContaining('a validating webhook cannot change the object')]);
  });

  it('names unknown fields as likely mistakes', () => {
    expect(read({ allowed: true, warning: 'x' }).mistakes).toEqual([
      'ADMISSION_RESPONSE_PATH has unknown fields, which are ignored: warning',
    ]);
  });

  it('has at most 64 warnings, and its texts are cut', () => {
    const { warnings, message } = read({
      allowed: false,
      message: 'm'.repeat(100_000),
      warnings: Array.from({ length: 1000 }, () => 'w'.repeat(10_000)),
    });

    expect(warnings).toHaveLength(64);
    expect(warnings[0]).toHaveLength(1025);
    expect(message).toHaveLength(8193);
  });
});
