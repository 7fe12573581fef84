import { describe, expect, it } from 'vitest';
import { topLevelFieldsOf } from '../../src/schema/built-in-fields.ts';

describe('the top of a built-in object', () => {
  it('has the fields of its kind', () => {
    expect(topLevelFieldsOf({ group: '', kind: 'ConfigMap' })).toEqual([
      'apiVersion',
      'kind',
      'metadata',
      'binaryData',
      'data',
      'immutable',
    ]);
  });

  it('is a spec and a status where the kind is not special', () => {
    expect(topLevelFieldsOf({ group: 'apps', kind: 'Deployment' })).toContain('status');
  });
});
