import { describe, expect, it } from 'vitest';
import { fillSchemaDefaults } from '../../src/schema/defaults.ts';

describe('defaults', () => {
  const schema = {
    type: 'object',
    properties: {
      top: { type: 'string', default: 't' },
      inner: { type: 'object', properties: { deep: { type: 'integer', default: 1 } } },
      list: { type: 'array', items: { type: 'object', properties: { deep: { type: 'integer', default: 2 } } } },
      free: { type: 'string', nullable: true, default: 'f' },
    },
  };

  it('are filled in where a parent is there, and bring no parent of their own', () => {
    expect(fillSchemaDefaults({}, schema)).toEqual({ top: 't', free: 'f' });
    expect(fillSchemaDefaults({ inner: {}, list: [{}, { deep: 5 }] }, schema)).toEqual({
      top: 't',
      free: 'f',
      inner: { deep: 1 },
      list: [{ deep: 2 }, { deep: 5 }],
    });
  });

  it('leave values and allowed nulls alone, and take the place of other nulls', () => {
    expect(fillSchemaDefaults({ top: null, free: null }, schema)).toEqual({ top: 't', free: null });
    expect(fillSchemaDefaults({ top: 'x', inner: null }, schema)).toEqual({ top: 'x', free: 'f' });
  });
});
