import { expect, it } from 'vitest';
import { figures, inWords, type Round } from './figures.ts';

const CLUSTER = { replicas: 3, tls: true, auth: false, seed: 7, minutes: 1, megabytes: 0 };
const ROUND: Round = { fault: 'disk emptied', wasForGood: true, seconds: 0, wasSentSnapshot: true, unharmed: [] };

it('the figures count each write, repair and refusal, and times only of what took a new member', () => {
  const rounds = [
    ...Array.from({ length: 100 }, (_, at) => ({ ...ROUND, seconds: at + 1 })),
    { ...ROUND, fault: 'process killed', wasForGood: false, seconds: 5000, unharmed: ['etcd-1'] },
  ];
  const events = [
    { name: 'a', reason: 'RepairStarted', message: '', type: 'Warning' },
    { name: 'b', reason: 'Repaired', message: '', type: 'Normal' },
    { name: 'c', reason: 'NodeLost', message: '', type: 'Warning' },
  ];
  const violations = ['the acknowledged write oracle/1 is lost', 'only 1 voters, of 3'];

  const found = figures(CLUSTER, rounds, events, { acknowledged: 9, refused: 2, violations });

  expect(found).toMatchObject({
    ...CLUSTER,
    faults: { 'disk emptied': 100, 'process killed': 1 },
    writes: { acknowledged: 9, refused: 2, lost: 1 },
    repairs: { begun: 1, Repaired: 1, Recovered: 0, NotVerified: 0, Abandoned: 0 },
    refusals: { NodeLost: 1 },
    secondsToWhole: { count: 100, p50: 50, p99: 99, max: 100 },
    replacedUnharmed: 1,
    violations,
  });
  expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  expect(inWords(found)).toContain('seconds from failure to whole: p50 50, p99 99, max 100 (of 100)');
  expect(inWords(found)).toContain('VIOLATION only 1 voters, of 3');
});
