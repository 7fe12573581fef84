import type { Hook, KubernetesBinding, OnStartupBinding, ScheduleBinding } from '../../src/hook/binding.ts';
import { parseCrontab } from '../../src/hook/crontab.ts';

/** A kubernetes binding with the defaults, as a hook would get it. */
export function kubernetesBinding(name: string, fields: Partial<KubernetesBinding> = {}): KubernetesBinding {
  return {
    type: 'kubernetes',
    name,
    kind: 'Pod',
    executeHookOnEvent: ['Added', 'Modified', 'Deleted'],
    executeHookOnSynchronization: true,
    waitForSynchronization: true,
    keepFullObjectsInMemory: true,
    allowFailure: false,
    queue: 'main',
    includeSnapshotsFrom: [],
    ...fields,
  };
}

/** A schedule binding with the defaults; every minute unless `crontab` says otherwise. */
export function scheduleBinding(
  name: string,
  { crontab = '* * * * *', ...fields }: Partial<Omit<ScheduleBinding, 'crontab'>> & { readonly crontab?: string } = {},
): ScheduleBinding {
  return {
    type: 'schedule',
    name,
    crontab: parseCrontab(crontab),
    allowFailure: false,
    queue: 'main',
    includeSnapshotsFrom: [],
    ...fields,
  };
}

export const onStartupBinding: OnStartupBinding = { type: 'onStartup', order: 1 };

/** A hook with these bindings. */
export function hookWith(name: string, bindings: Hook['bindings'] = []): Hook {
  return { name, path: `/hooks/${name}`, type: 'process', bindings, settings: {} };
}
