import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { A_REPAIR, followerLosesDisk, isRepaired, type Line } from './etcd-repair-line.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import { isTold, newsOf, storageOf } from './etcd-repair-steps.ts';

const NOT_NOW = 'echo "Error: etcdserver: unhealthy cluster" >&2; exit 1\n';
const MEBIBYTE = 1024 * 1024;

/** Tests of the snapshot before a member is replaced. */
export const SNAPSHOTS: readonly Line[] = [
  {
    title: 'takes a file from the future, and one of eight bytes, for no snapshot',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const start = `/snapshots/${rig.namespace}-etcd`;
      await inHook(rig, `printf 12345678 > ${start}-9999999999.db; printf 12345678 > ${start}-$(date +%s).db`);
      const release = await rig.control('before-member-remove', NOT_NOW);

      await followerLosesDisk(rig);

      await eventually(async () => {
        const { repair } = await rig.state();
        expect(await sizeOf(rig, repair?.snapshot)).toBeGreaterThan(8);
        await inHook(rig, `etcdutl snapshot status ${repair?.snapshot}`);
      });
      await release();
      await isRepaired(rig, news);
      // Damaged snapshots must not take the place of good ones either.
      expect(await inHook(rig, 'find /snapshots -type f -size -2')).toBe('');
    },
  },
  {
    title: 'takes another snapshot when the one of the record is damaged before the member is removed',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const release = await rig.control('before-member-remove', NOT_NOW);
      await followerLosesDisk(rig);
      const file = await eventually(async () => {
        const { repair } = await rig.state();
        expect(repair?.step).toBe('recorded');
        return repair?.snapshot ?? '';
      });

      await inHook(rig, `truncate -s 8 ${file}`);

      await eventually(async () => expect([file, undefined]).not.toContain((await rig.state()).repair?.snapshot));
      await inHook(rig, `etcdutl snapshot status ${(await rig.state()).repair?.snapshot}`);
      await release();
      await isRepaired(rig, news);
    },
  },
  {
    title: 'makes room for a snapshot by its own older ones, but never by the newest, and says how much is missing',
    tells: ['SnapshotFailed', ...A_REPAIR],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const start = `/snapshots/${rig.namespace}-etcd`;
      const seconds = Math.floor(Date.now() / 1000) - 4000;
      const endpoint = `http://etcd-0.etcd.${rig.namespace}.svc:2379`;
      // One good snapshot, but no room for another one.
      await inHook(
        rig,
        `rm -f /snapshots/*; real-etcdctl --endpoints ${endpoint} snapshot save ${start}-${seconds}.db >&2`,
      );
      const size = await sizeOf(rig, `${start}-${seconds}.db`);
      const free = await rig.kubelet.fillDisk(rig.namespace, 'etcd-member-repair');

      await followerLosesDisk(rig);

      const told = await isTold(rig, news, 'SnapshotFailed');
      expect(told).toMatch(/needs [\d.]+ MiB, and 0\.0 of [\d.]+ MiB are free in \/snapshots/);
      expect(await inHook(rig, 'ls /snapshots')).toBe(`${rig.namespace}-etcd-${seconds}.db\n`);
      expect(await storageOf(rig)).toEqual(before);
      // Several, of which the older ones make room.
      await free();
      for (const age of [1, 2, 3]) {
        await inHook(rig, `cp ${start}-${seconds}.db ${start}-${seconds - age}.db`);
        await inHook(rig, `head -c ${size + MEBIBYTE} /dev/zero > ${start}-${seconds - 10 - age}.db`);
      }
      const freeAgain = await rig.kubelet.fillDisk(rig.namespace, 'etcd-member-repair');
      await isRepaired(rig, news);
      await freeAgain();
    },
  },
];

async function inHook(rig: EtcdRepairRig, script: string): Promise<string> {
  const [hook] = await rig.hookPods();
  const { stdout, stderr, exitCode } = await rig.kubelet.exec(rig.podName(hook?.metadata?.name ?? ''), [
    'sh',
    '-c',
    script,
  ]);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

async function sizeOf(rig: EtcdRepairRig, file = '/none'): Promise<number> {
  return Number(await inHook(rig, `stat -c %s ${file}`));
}
