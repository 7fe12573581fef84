import { describe, expect, it } from 'vitest';
import type { ChildProblem } from '../../../src/effects/children/problem.ts';
import type { ChildStatus } from '../../../src/effects/children/reach.ts';
import { readyCondition, type ReadyInput } from '../../../src/effects/children/ready-condition.ts';

function child(name: string, fields: Partial<ChildStatus> = {}): ChildStatus {
  return { child: name, state: 'ready', reason: 'Ready', message: 'is there', isCurrent: true, ...fields };
}

const TAKEN: ChildProblem = { type: 'taken', child: 'Service/web', message: 'is taken' };

describe('the condition Ready', () => {
  it.each<[string, Partial<ReadyInput>, string, string, string]>([
    ['without children', {}, 'True', 'NoChildren', 'there are no children'],
    ['when all are ready', { children: [child('a'), child('b')] }, 'True', 'ChildrenReady', 'all 2 children are ready'],
    [
      'while one is under way',
      {
        children: [child('a'), child('Deployment/web', { state: 'inProgress', message: '1 of 3 replicas are ready' })],
      },
      'False',
      'ChildrenNotReady',
      '1 of 2 children are not ready; Deployment/web: 1 of 3 replicas are ready',
    ],
    [
      'while one is there in an old form',
      { children: [child('a', { isCurrent: false })] },
      'False',
      'ChildrenNotReady',
      '1 of 1 children are not ready; a: is not yet as it should be',
    ],
    [
      'while one waits for others',
      {
        children: [
          child('a', { state: 'inProgress', message: 'is starting' }),
          child('b', { state: 'absent', message: 'is not there', isCurrent: false, waitsFor: ['a'] }),
          child('c', { isCurrent: false, waitsFor: ['a', 'b'] }),
        ],
      },
      'False',
      'ChildrenNotReady',
      '3 of 3 children are not ready; a: is starting; b: waits for a; c: waits for a, b',
    ],
    [
      'when one has failed, whatever the others are',
      { children: [child('a', { state: 'inProgress' }), child('b', { state: 'failed', message: 'has failed' })] },
      'False',
      'ChildFailed',
      'b: has failed',
    ],
    [
      'with a problem first of all',
      { problems: [TAKEN], children: [child('a')] },
      'False',
      'ChildNameTaken',
      'Service/web: is taken',
    ],
    [
      'while something is not deleted yet',
      { children: [child('a')], waiting: ['x'] },
      'False',
      'ChildrenWaiting',
      'not deleted yet: x',
    ],
  ])('%s', (_, input, ...[status, reason, message]) => {
    const condition = readyCondition({ problems: [], children: [], waiting: [], ...input });

    expect(condition).toEqual({ type: 'Ready', status, reason, message });
  });

  it('names 5 of many problems, in at most 1,024 characters', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({ ...TAKEN, child: `c-${index}` }));
    const long = { ...TAKEN, message: 'x'.repeat(5000) };

    expect(readyCondition({ problems: many, children: [], waiting: [] }).message).toMatch(/c-4: is taken; and 4 more$/);
    expect(readyCondition({ problems: [long], children: [], waiting: [] }).message).toHaveLength(1024);
  });
});
