import { describe, expect, it } from 'vitest';
import type { Target } from '../src/api-request.ts';
import { Kinds } from '../src/kinds.ts';
import { withoutResetFields } from '../src/reset-fields.ts';

function target(collection: string, subresource: string): Target {
  const kind = new Kinds().ofCollection(collection);
  if (kind === undefined) throw new Error(`no ${collection}`);
  return { kind, namespace: 'default', name: 'x', subresource };
}

const applied = { kind: 'K', apiVersion: 'v1', metadata: { name: 'x', labels: { a: 'b' } }, spec: {}, status: {} };

describe('what an applier does not come to own', () => {
  it('is the status of an object that has a path for it', () => {
    expect(withoutResetFields(target('pods', ''), applied)).not.toHaveProperty('status');
    expect(withoutResetFields(target('configmaps', ''), applied)).toHaveProperty('status');
  });

  it('is everything but the status at that path', () => {
    expect(withoutResetFields(target('pods', 'status'), applied)).toEqual({
      kind: 'K',
      apiVersion: 'v1',
      metadata: { name: 'x' },
      status: {},
    });
  });

  it('is nothing of what is no object', () => {
    expect(withoutResetFields(target('pods', ''), [1])).toEqual([1]);
  });
});
