import { corruptSilently } from '../solutions/etcd-corruption.ts';
import { loseDisk } from '../solutions/etcd-repair-steps.ts';
import { another, type Fault } from './fault.ts';
import { tells } from './told.ts';

/** Faults in which a member holds other data than the others, or an alarm says so. */
export const DATA_FAULTS: readonly Fault[] = [
  {
    name: 'disk emptied while another is silently corrupted',
    replaces: 'always',
    isJudged: true,
    act: async (stage, pod) => {
      const { putRight } = await corruptSilently(stage.rig, another(stage, pod));
      await tells(stage.rig, /^HashesDiffer$/, async () => loseDisk(stage.rig, pod));
      await putRight();
    },
  },
  {
    name: 'silently corrupted, with the alarm about it',
    replaces: 'always',
    isJudged: true,
    act: async ({ rig }, pod) => {
      await corruptSilently(rig, pod);
      await tells(rig, /^(?:CorruptAlarm|RepairStarted)$/, async () => rig.etcd.raiseAlarm(pod, 'CORRUPT'));
    },
  },
  {
    name: 'alarm CORRUPT about a good one',
    replaces: 'never',
    isJudged: true,
    act: async ({ rig }, pod) => {
      await tells(rig, /^CorruptUnfounded$/, async () => rig.etcd.raiseAlarm(pod, 'CORRUPT'));
      await rig.etcd.disarm();
    },
  },
  {
    name: 'alarm CORRUPT about a good one while another is silently corrupted',
    replaces: 'never',
    isJudged: true,
    act: async (stage, pod) => {
      const { rig } = stage;
      const { putRight } = await corruptSilently(rig, another(stage, pod));
      await tells(rig, /^HashesDiffer$/, async () => rig.etcd.raiseAlarm(pod, 'CORRUPT'));
      await putRight();
      await rig.etcd.disarm();
    },
  },
];
