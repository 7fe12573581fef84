import { describe, expect, test } from 'vitest';
import { spread, strikesOf } from '../../../src/scenario/perturb/strikes.ts';
import type { Moment } from '../../../src/scenario/timeline.ts';
import { delivered, started, write } from './timelines.ts';

const words = (kind: Parameters<typeof strikesOf>[0], timeline: readonly Moment[]): string[] =>
  strikesOf(kind, timeline).plans.map((strike) => strike.words);

describe('what is disturbed', () => {
  test('where there are too many, some from the first on and over the whole story', () => {
    const seven = [1, 2, 3, 4, 5, 6, 7];
    expect([0, 1, 3, 7, 9].map((most) => spread(seven, most))).toEqual([[], [1], [1, 4, 6], seven, seven]);
    expect(spread(seven, Number.POSITIVE_INFINITY)).toEqual(seven);
    expect(spread([], 3)).toEqual([]);
  });

  test('each effect is followed by a crash once; of the same effect, the first two and the last', () => {
    const changes = [3, 4, 5, 6].map((effect) => write('a', { effect, verb: 'patch', before: {} }));
    const call: Moment = { atMs: 0, step: 1, type: 'call', program: 'psql', args: ['-c', 'x'], call: 1, effect: 2 };
    const timeline = [write('a', { effect: 1 }), call, ...changes, write('b')];
    expect(strikesOf('crash', timeline).all).toBe(6);
    expect(words('crash', timeline)).toEqual([
      'killed after the 1st effect (ConfigMap default/a created)',
      'killed after the 2nd effect (psql -c x)',
      'killed after the 3rd effect (ConfigMap default/a changed)',
      'killed after the 4th effect (ConfigMap default/a changed)',
      'killed after the 6th effect (ConfigMap default/a changed)',
    ]);
  });

  test('an event is disturbed if one of the next two runs of a hook writes, and not if a later one does', () => {
    const timeline = [
      delivered(1, 'a'),
      started('r1'),
      delivered(2, 'b'),
      started('r2'),
      started('r3'),
      write('c', { run: 'r3' }),
    ];
    expect(strikesOf('double', timeline).all).toBe(2);
    expect(words('double', timeline)).toEqual(['the 2nd watch event (ConfigMap default/b modified) comes twice']);
  });

  test('the operator is down during each action that brings an event and does not ask the operator itself', () => {
    const action = (step: number): Moment => ({ atMs: 0, step, type: 'action', text: `apply ${step}` });
    const asked: Moment = { atMs: 0, step: 3, type: 'action', text: 'POST /trigger/a.sh/b', needsOperator: true };
    const timeline = [delivered(1, 'a', 0), action(1), action(2), delivered(2, 'a', 2), asked, delivered(3, 'a', 3)];
    expect(strikesOf('skip', timeline)).toMatchObject({
      all: 6,
      plans: [{ words: 'the operator is down during the 2nd action (apply 2)' }],
    });
  });

  test('writes are refused in four ways, reads in two, discovery never; calls fail and answer nothing', () => {
    const request = (number: number, method: string, path: string): Moment => ({
      atMs: 0,
      step: 1,
      type: 'request',
      request: number,
      by: 'hook',
      method,
      path,
      code: 200,
    });
    const timeline = [
      request(1, 'GET', '/apis/apps/v1'),
      request(2, 'GET', '/api/v1'),
      request(3, 'GET', '/api/v1/pods'),
      request(4, 'PATCH', '/apis/apps/v1/namespaces/a/deployments/b'),
    ];
    const plans = strikesOf('refuse', timeline).plans.map(({ plan }) => plan.disturbance);
    expect(plans.map((one) => one?.type === 'refuse' && `${one.request} ${one.how}`)).toEqual([
      '3 500',
      '3 timeout',
      '4 409',
      '4 429',
      '4 500',
      '4 timeout',
    ]);
    const call: Moment = { atMs: 0, step: 1, type: 'call', program: 'psql', args: [], call: 1, effect: 1 };
    expect(words('app', [call])).toEqual(['the 1st call (psql) fails', 'the 1st call (psql) answers nothing']);
  });
});
