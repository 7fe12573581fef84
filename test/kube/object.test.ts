import { describe, expect, it } from 'vitest';

import { KubeError } from '../../src/errors.ts';
import { copyBytes, parseJson, readObject } from '../../src/kube/object.ts';

const unused = (): Uint8Array => new Uint8Array(0);

describe('readObject', () => {
  it('reads what identifies an object', () => {
    const value = { metadata: { namespace: 'a', name: 'b', uid: 'c', resourceVersion: 'd' }, kind: 'K' };

    expect(readObject(value, unused)).toMatchObject({
      namespace: 'a',
      name: 'b',
      uid: 'c',
      resourceVersion: 'd',
      value,
    });
  });

  it('leaves empty what the server leaves out', () => {
    expect(readObject({ metadata: { name: 'b' } }, unused)).toMatchObject({
      namespace: '',
      uid: '',
      resourceVersion: '',
    });
  });

  it.each([null, 'text', [], {}, { metadata: {} }, { metadata: { name: 7 } }])(
    'refuses %j, which has no name',
    (value) => {
      expect(() => readObject(value, unused)).toThrow(KubeError);
    },
  );

  it('copies the text once, when it is first asked for', () => {
    let copies = 0;
    const object = readObject({ metadata: { name: 'b' } }, () => {
      copies++;
      return Buffer.from('{}');
    });

    const texts = [object.json(), object.json()];

    expect(copies).toBe(1);
    expect(texts[0]).toBe(texts[1]);
  });
});

describe('copyBytes', () => {
  it('keeps nothing alive but the part it copies', () => {
    const copy = copyBytes(Buffer.from('xx{"a":1}yy'), 2, 9);

    expect(Buffer.from(copy).toString()).toBe('{"a":1}');
    expect(copy.buffer.byteLength).toBe(7);
  });
});

describe('parseJson', () => {
  it('reads a part of a buffer that is itself a part of another', () => {
    const part = Buffer.from('......{"ü":1}..').subarray(4);

    expect(parseJson(part, 2, part.length - 2)).toEqual({ ü: 1 });
  });

  it('shows the start of what is not JSON, and not to others', () => {
    expect(() => parseJson(Buffer.from('<html>'))).toThrow(/not JSON: <html>/);
    expect(() => parseJson(Buffer.from('<html>'))).toThrow(
      expect.objectContaining({ summary: 'the API server sent something that is not JSON' }),
    );
  });
});
