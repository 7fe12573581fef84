import type {
  Hook,
  KubernetesBinding,
  OnStartupBinding,
  ReconcileBinding,
  ScheduleBinding,
} from '../../src/hook/binding.ts';
import { RECONCILE_RETRY } from '../../src/hook/config-reconcile.ts';
import { parseCrontab } from '../../src/crontab/crontab.ts';
import type { ScheduledRun, Trigger } from '../../src/hook/trigger.ts';

/** A kubernetes binding with the default settings. */
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
    concurrency: 'queue',
    missed: { type: 'skip' },
    jitterMs: 0,
    allowFailure: false,
    queue: 'main',
    includeSnapshotsFrom: [],
    ...fields,
  };
}

/** A tick of a schedule binding, at the beginning of 2026 unless `run` says otherwise. */
export function tickOf(
  binding: ScheduleBinding,
  run: Partial<ScheduledRun> = {},
): Extract<Trigger, { readonly type: 'schedule' }> {
  const scheduledAtMs = Date.UTC(2026, 0, 1);
  return {
    type: 'schedule',
    binding,
    run: { runId: 'run-1', scheduledAtMs, reason: 'tick', attemptsBefore: 0, ...run },
  };
}

export const onStartupBinding: OnStartupBinding = { type: 'onStartup', order: 1 };

/** A hook with these bindings. */
export function hookWith(name: string, bindings: Hook['bindings'] = []): Hook {
  return { name, path: `/hooks/${name}`, type: 'process', bindings, settings: {} };
}

/** A reconcile binding with the default settings. */
export function reconcileBinding(name: string, fields: Partial<ReconcileBinding> = {}): ReconcileBinding {
  return {
    type: 'reconcile',
    name,
    kind: 'WebSite',
    apiVersion: 'example.com/v1',
    owns: [],
    watches: [],
    includeSnapshotsFrom: [],
    parallelism: 4,
    finalize: false,
    onHookChange: false,
    retry: RECONCILE_RETRY,
    ...fields,
  };
}
