import { describe, expect, it } from 'vitest';
import { describeExecutor, localRunNote } from '../../src/hook/describe-executor.ts';

describe('workers in the settings of a hook', () => {
  it.each([
    ['default', 'executor workers'],
    ['gpu', 'executor workers of the pool gpu'],
  ])('the pool %s is told as %s', (pool, text) => {
    expect(describeExecutor({ type: 'workers', pool })).toBe(text);
  });

  it('are remarked where the file of the hook runs on the spot', () => {
    expect(localRunNote({ type: 'workers', pool: 'default' })).toBe(
      'in a cluster a worker runs this; here the file itself runs',
    );
  });
});
