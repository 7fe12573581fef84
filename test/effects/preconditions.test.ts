import { describe, expect, it } from 'vitest';
import { FieldReader } from '../../src/effects/field-reader.ts';
import { readPreconditions } from '../../src/effects/preconditions.ts';

describe('preconditions', () => {
  it.each([
    { written: { uid: 'u1' }, read: { uid: 'u1' } },
    { written: { uid: 'u1', resourceVersion: '7' }, read: { uid: 'u1', resourceVersion: '7' } },
  ])('$written are read as they are', ({ written, read }) => {
    const reader = new FieldReader({ preconditions: written });

    expect(readPreconditions(reader)).toEqual(read);
    expect(reader.problems).toEqual([]);
  });

  it('that are not given are none', () => {
    expect(readPreconditions(new FieldReader({}))).toBeUndefined();
  });
});
