import { sleep } from '../../../src/lib/sleep.ts';
import type { EtcdRepairRig } from '../solutions/etcd-repair-rig.ts';
import { withSlowDisks } from '../solutions/etcd-repair-steps.ts';
import { pick, seconds, type Fault } from './fault.ts';

const NEVER = new AbortController().signal;
const CALLS = ['snapshot-save', 'move-leader', 'member-remove', 'member-add', 'member-promote', 'alarm-disarm'];
/** How long a repair is followed at most. */
const FOLLOWED_MS = 60_000;

/** What happens meanwhile to the hook and the operator; `strikesOthers` if members are affected as well. */
export const HOOK_FAULTS: readonly Pick<Fault, 'name' | 'strikesOthers' | 'act'>[] = [
  { name: 'nothing', act: async () => {} },
  {
    name: 'all disks slow',
    strikesOthers: true,
    act: async (stage, pod) => {
      const pods = stage.rig.etcd.pods.filter((one) => one !== pod);
      const delayMs = Math.round(20 + 80 * stage.random());
      await withSlowDisks(stage.rig, { pods, delayMs }, async () => seconds(stage, 20, 30));
    },
  },
  {
    name: 'operator killed again and again',
    act: async (stage) => {
      for (let times = 0; times < 3; times++) {
        await seconds(stage, 1, 5);
        await killOperator(stage.rig);
      }
    },
  },
  {
    name: 'operator killed after each step',
    act: async ({ rig }) => {
      const end = Date.now() + FOLLOWED_MS;
      let last = '';
      while (Date.now() < end) {
        const { repair } = await rig.state();
        const step = repair === undefined ? '' : `${repair.memberID} ${repair.step}`;
        if (step !== last) await killOperator(rig);
        if (step === '' && last !== '') return;
        last = step;
        await sleep(100, NEVER);
      }
    },
  },
  {
    name: 'hook killed at a step',
    act: async ({ rig, random }) => {
      await killHookAt(rig, `${pick(['before', 'after'], random)}-${pick(CALLS, random)}`);
    },
  },
  {
    name: 'hook killed before and after each step',
    act: async ({ rig }) => {
      for (const call of CALLS) {
        for (const when of ['before', 'after']) await killHookAt(rig, `${when}-${call}`);
      }
    },
  },
  {
    name: 'two operators',
    act: async (stage) => {
      await stage.rig.scaleHook(2);
      await seconds(stage, 10, 30);
      await stage.rig.scaleHook(1);
    },
  },
  {
    name: 'the new member killed while it joins',
    strikesOthers: true,
    act: async ({ rig }) => {
      for (let times = 0; times < 100; times++) {
        await sleep(300, NEVER);
        const learner = (await rig.etcd.members().catch(() => [])).find(({ isLearner }) => isLearner);
        const pod = learner?.peerURLs[0]?.replace(/^.*\/\/|\..*$/g, '');
        if (pod === undefined) continue;
        await rig.kubelet.kill(rig.podName(pod)).catch(() => {});
        return;
      }
    },
  },
];

async function killOperator(rig: EtcdRepairRig): Promise<void> {
  const [pod] = await rig.hookPods();
  // A Pod that is being started has no process yet.
  await rig.kubelet.kill(rig.podName(pod?.metadata?.name ?? '')).catch(() => {});
}

/** Kills the hook at the first such call only. */
async function killHookAt(rig: EtcdRepairRig, call: string): Promise<void> {
  const mark = `/tmp/${crypto.randomUUID()}`;
  await rig.control(call, `[ -e ${mark} ] || { : > ${mark}; kill -9 0; }\n`);
}
