import { expect, it } from 'vitest';
import { told, toldBefore } from './etcd-repair-line.ts';

const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');

it.each([
  ['RepairStarted Repaired', 'RepairStarted Repaired'],
  ['RepairStarted Recovered RepairStarted JoinFailed Repaired', 'RepairStarted Repaired'],
  ['RepairStarted QuorumLost Recovered', ''],
  ['RepairStarted Repaired RepairStarted Repaired', 'RepairStarted Repaired RepairStarted Repaired'],
  ['RepairStarted Abandoned', 'RepairStarted Abandoned'],
  ['Recovered', 'Recovered'],
])('of %j what is not of slowness alone is %j', async (all, left) => {
  expect(await told(async () => words(all))).toEqual(words(left));
});

it('what comes before a reason ends with its first time', async () => {
  const news = async (): Promise<readonly string[]> =>
    words('SnapshotFailed Paused QuorumLost RepairStarted QuorumLost');

  expect(await toldBefore('QuorumLost', news)).toEqual(['Paused']);
});
