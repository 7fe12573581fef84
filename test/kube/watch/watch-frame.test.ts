import { describe, expect, it } from 'vitest';

import { KubeError, ResourceExpiredError } from '../../../src/errors.ts';
import { readFrame } from '../../../src/kube/watch/watch-frame.ts';
import { bookmark, errorLine, kubeObject } from '../../support/kube-objects.ts';

const line = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const jsonOf = (value: unknown): string => {
  const frame = readFrame(line(value));
  return frame.type === 'Bookmark' ? 'bookmark' : Buffer.from(frame.object.json()).toString();
};
const errorOf = (value: unknown): unknown => {
  try {
    return readFrame(line(value));
  } catch (error) {
    return error;
  }
};

describe('readFrame', () => {
  it.each([
    ['ADDED', 'Apply'],
    ['MODIFIED', 'Apply'],
    ['DELETED', 'Delete'],
  ])('reads %s as %s', (type, expected) => {
    const frame = readFrame(line({ type, object: kubeObject({ name: 'a', version: 5 }) }));

    expect(frame).toMatchObject({ type: expected, object: { namespace: 'default', name: 'a', resourceVersion: '5' } });
  });

  it('cuts the object out of the line byte by byte', () => {
    const object = '{"metadata":{"name":"a"},"odd":1.0,"x":"\\u00e4 }}"}';

    expect(jsonOf(`{"type":"ADDED","object":${object}}`)).toBe(object);
  });

  it.each([
    '{"object":{"metadata":{"name":"a"}},"type":"ADDED"}',
    '{ "type": "ADDED", "object": {"metadata":{"name":"a"}} }',
    '{"type":"ADDED","object":{"metadata":{"name":"a"}}}\r',
    '{"type":"ADDED","object":{"metadata":{"name":"a"}} }',
  ])('reads the line %j, written in another way', (text) => {
    expect(jsonOf(text)).toBe('{"metadata":{"name":"a"}}');
  });

  it('is not taken in by a member after the object', () => {
    expect(jsonOf('{"type":"ADDED","object":{"metadata":{"name":"a"}},"more":{}}')).toBe('{"metadata":{"name":"a"}}');
  });

  it.each([
    ['with its members in the usual order', (object: string) => `{"type":"ADDED","object":${object}}`],
    ['with its members in another order', (object: string) => `{"object":${object},"type":"ADDED"}`],
    ['with spaces', (object: string) => `{ "type": "ADDED", "object": ${object} }`],
  ])('reads an object that is nested 100,000 levels deep, %s', (_what, lineOf) => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const object = `{"metadata":{"name":"a"},"data":${deep}}`;

    expect(jsonOf(lineOf(object)) === object).toBe(true);
    expect(errorOf(lineOf(deep))).toMatchObject({ reason: 'Malformed' });
    expect(errorOf(`{"type":"ERROR","object":{"code":500,"more":${deep}}}`)).toMatchObject({ status: 500 });
    expect(errorOf(`{"type":${deep}}`)).toMatchObject({ reason: 'Malformed' });
  });

  it('takes the last of several members of one name, as JSON does', () => {
    const twice = '{"object":{"metadata":{"name":"a"}},"type":"ADDED","object":{"metadata":{"name":"b"}}}';

    expect(jsonOf(twice)).toBe('{"metadata":{"name":"b"}}');
  });

  it('reads a bookmark, and which one ends the initial events (point 3)', () => {
    expect(readFrame(line(bookmark(7)))).toEqual({ type: 'Bookmark', resourceVersion: '7', isInitialEventsEnd: false });
    expect(readFrame(line(bookmark(8, { isInitialEventsEnd: true })))).toMatchObject({ isInitialEventsEnd: true });
  });

  it.each([
    [410, 'Expired'],
    [410, 'Gone'],
    [500, 'Expired'],
  ])('throws ResourceExpiredError for a position that is gone: %i %s (point 9)', (code, reason) => {
    expect(errorOf(errorLine(code, reason))).toBeInstanceOf(ResourceExpiredError);
  });

  it('throws the error of any other ERROR line (point 9)', () => {
    const error = errorOf(errorLine(429, 'TooManyRequests', { retryAfterSeconds: 3 }));

    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ status: 429, reason: 'TooManyRequests', retryAfterMs: 3000 });
  });

  it.each(['', '{"type":"ADDED","object":{', '{"type":"ADDED","object":{}}', '{"type":"OTHER","object":{}}', '[]'])(
    'refuses the line %j',
    (text) => {
      expect(errorOf(text)).toMatchObject({ status: 0, reason: 'Malformed' });
    },
  );
});
