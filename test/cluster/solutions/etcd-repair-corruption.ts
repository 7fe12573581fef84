import { expect } from 'vitest';
import { corruptSilently } from './etcd-corruption.ts';
import { A_REPAIR, followerLosesDisk, isRepaired, type Line } from './etcd-repair-line.ts';
import { isMeasured, isTold, isWhole, loseDisk, newsOf, outlastsPatience, storageOf } from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

const HASHES_OF_TWO = /(etcd-\d) has hash \d+.*, (etcd-\d) has hash \d+/;

const NOT_IN_SYNC =
  'echo "Error: etcdserver: can only promote a learner member which is in sync with leader" >&2; exit 1\n';

/** Tests in which a member holds other data than the others, although no disk is broken. */
export const CORRUPTIONS: readonly Line[] = [
  {
    title: 'replaces nobody while the others do not hold the same data, and names the hash of each',
    tells: ['HashesDiffer', ...A_REPAIR],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const leader = await rig.etcd.leader();
      const { putRight } = await corruptSilently(rig, leader);

      // It was stopped meanwhile, so another member may lead now; the one that holds other data stays.
      const pod = rig.etcd.pods.find((one) => one !== leader) ?? '';
      await loseDisk(rig, pod);

      const said = await isTold(rig, news, 'HashesDiffer');
      expect(said).toMatch(/At revision \d+ the members do not hold the same data/);
      for (const one of rig.etcd.pods) {
        expect(said).toMatch(one === pod ? new RegExp(`${one} gave none: .`) : new RegExp(`${one} has hash \\d+`));
      }
      expect(said).not.toMatch(/majority/);
      await outlastsPatience(rig);
      await isMeasured(rig, /etcd_repair_refused\{.*reason="HashesDiffer".*\} 1/);
      expect(await storageOf(rig)).toEqual(before);
      expect(await news()).toEqual(['HashesDiffer']);
      await putRight();
      await isRepaired(rig, news);
    },
  },
  {
    title: 'says whose data a new member was given, where it agrees with that one alone',
    tells: ['RepairStarted', 'HashesDiffer', 'Repaired'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const release = await rig.control('before-member-promote', NOT_IN_SYNC);
      const pod = await followerLosesDisk(rig);
      await eventually(async () => expect((await rig.etcd.status(pod)).isLearner).toBe(true));

      // As if the data had been like this when it was copied.
      const leader = await rig.etcd.leader();
      const { putRight } = await corruptSilently(rig, [leader, pod]);
      await release();

      expect(await isTold(rig, news, 'HashesDiffer')).toContain(
        `That ${pod} agrees with ${leader} proves nothing: it was given its data by it at `,
      );
      await putRight();
      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces nobody while a member gives no hash, and says which',
    tells: ['HashesUnknown', ...A_REPAIR],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const silent = await rig.etcd.leader();
      const release = await rig.control(
        'before-other',
        `case "$*" in *"//${silent}."*hashkv*) echo "Error: etcdserver: too many requests" >&2; exit 1 ;; esac\n`,
      );

      await followerLosesDisk(rig);

      expect(await isTold(rig, news, 'HashesUnknown')).toContain(`${silent} gave none: Error: etcdserver: too many`);
      expect(await storageOf(rig)).toEqual(before);
      await release();
      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member that etcd does not let start again because it differs from the others',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();
      await corruptSilently(rig, pod);

      await rig.kubelet.kill(rig.podName(pod));

      await eventually(async () => {
        expect(await rig.kubelet.logs(rig.podName(pod))).toContain('found data inconsistency with peers');
      });
      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces the leader that the alarm CORRUPT is about where all others differ from it, and disarms it',
    tells: ['CorruptAlarm', ...A_REPAIR],
    run: async (rig, oracle) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.leader();
      await corruptSilently(rig, pod);
      const before = await storageOf(rig);

      await rig.etcd.raiseAlarm(pod, 'CORRUPT');

      expect(await isTold(rig, news, 'CorruptAlarm')).toContain(pod);
      expect(await storageOf(rig)).toEqual(before);
      await isRepaired(rig, news);
      await eventually(async () => {
        const { alarms = [] } = await rig.etcd.anybody<{ readonly alarms?: readonly object[] }>('maintenance/alarm');
        expect(alarms).toEqual([]);
      });
      const { acknowledged } = oracle;
      await eventually(() => expect(oracle.acknowledged).toBeGreaterThan(acknowledged));
    },
  },
  {
    title: 'replaces nobody for an alarm CORRUPT about one who holds what the others do, be it one of them or all',
    tells: ['CorruptUnfounded', 'HashesDiffer'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const accused = await rig.etcd.follower();

      await rig.etcd.raiseAlarm(accused, 'CORRUPT');
      expect(await isTold(rig, news, 'CorruptUnfounded')).toContain('etcdctl alarm disarm');
      await rig.etcd.disarm();
      await isWhole(rig);
      const { putRight } = await corruptSilently(rig, await rig.etcd.leader());
      await rig.etcd.raiseAlarm(accused, 'CORRUPT');

      const said = await isTold(rig, news, 'HashesDiffer');
      expect(said).toMatch(HASHES_OF_TWO);
      expect(said).toContain(`The alarm CORRUPT is about ${accused}, which may be wrong.`);
      await outlastsPatience(rig);
      expect(await storageOf(rig)).toEqual(before);
      await putRight();
      await rig.etcd.disarm();
      await isWhole(rig);
    },
  },
];
