import { describe, expect, it } from 'vitest';
import { pruneUnknownFields } from '../../src/schema/prune.ts';

const TEXT = { type: 'string' };

describe('pruning', () => {
  it('goes into items, map entries and embedded resources, and knows every object’s own fields', () => {
    const schema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', properties: { a: TEXT } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { a: TEXT } } },
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
      },
    };
    const object = {
      apiVersion: 'v1',
      kind: 'X',
      metadata: { any: 1 },
      list: [{ a: '1', b: '2' }, 'scalar', null],
      map: { x: { a: '1', b: '2' } },
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { b: 1 }, junk: 1 },
      junk: 1,
    };

    expect(pruneUnknownFields(object, schema)).toEqual({
      apiVersion: 'v1',
      kind: 'X',
      metadata: { any: 1 },
      list: [{ a: '1' }, 'scalar', null],
      map: { x: { a: '1' } },
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} },
    });
  });

  it('keeps what is preserved, but prunes below what is specified there', () => {
    const schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'object', properties: { a: TEXT } } },
    };

    expect(pruneUnknownFields({ free: { any: 1 }, known: { a: '1', b: '2' } }, schema)).toEqual({
      free: { any: 1 },
      known: { a: '1' },
    });
  });
});
