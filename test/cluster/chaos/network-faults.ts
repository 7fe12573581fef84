import { seconds, type Fault } from './fault.ts';

/** Connections that are cut in one direction only, or for some peers only. */
export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: 'out of reach of the hook alone',
    replaces: 'never',
    isJudged: true,
    act: async (stage, pod) => {
      const { rig } = stage;
      const hooks = (await rig.hookPods()).map(({ metadata }) => rig.podName(metadata?.name ?? ''));
      const unmute = await Promise.all(hooks.map(async (hook) => rig.kubelet.mute(hook, [rig.podName(pod)])));
      await seconds(stage, 10, 30);
      for (const again of unmute) await again();
    },
  },
  {
    name: 'hears the others, and is not heard',
    replaces: 'maybe',
    act: async (stage, pod) => {
      const { rig } = stage;
      const others = rig.etcd.pods.filter((one) => one !== pod);
      const hooks = (await rig.hookPods()).map(({ metadata }) => metadata?.name ?? '');
      const unmute = await rig.kubelet.mute(rig.podName(pod), [...others, ...hooks].map(rig.podName));
      await seconds(stage, 5, 25);
      await unmute();
    },
  },
  {
    name: 'two members do not hear each other',
    replaces: 'never',
    isJudged: true,
    act: async (stage, pod) => {
      const { rig } = stage;
      const [other = ''] = rig.etcd.pods.filter((one) => one !== pod);
      const unmute = [
        await rig.kubelet.mute(rig.podName(pod), [rig.podName(other)]),
        await rig.kubelet.mute(rig.podName(other), [rig.podName(pod)]),
      ];
      await seconds(stage, 5, 25);
      for (const again of unmute) await again();
    },
  },
];
