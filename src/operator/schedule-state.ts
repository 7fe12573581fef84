import { hostname } from 'node:os';
import { ownNamespace } from '../kube/own-pod.ts';
import type { Logger } from '../log.ts';
import { ConfigMapStore } from '../sources/schedule/config-map-store.ts';
import { FileStore } from '../sources/schedule/file-store.ts';
import { KeptRecords } from '../sources/schedule/kept-records.ts';
import type { ScheduleStore } from '../sources/schedule/store.ts';
import type { ClusterAccess } from './cluster-access.ts';
import type { HookUnit } from './hook-unit.ts';
import { Schedules, type SchedulesOptions } from './schedules.ts';

/** Where the state of schedules is kept; without `isForced`, only that of schedules that make up for what they missed. */
export type ScheduleStatePlace = (
  | { readonly type: 'configMap'; readonly name: string }
  | { readonly type: 'file'; readonly path: string }
) & { readonly isForced: boolean };

export interface ScheduleStateOptions {
  /** Absent: the usual ConfigMap, where a schedule needs it. */
  readonly scheduleState?: ScheduleStatePlace | undefined;
  readonly access: Pick<ClusterAccess, 'client' | 'cluster'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly holdOf?: SchedulesOptions['holdOf'];
  readonly log: Logger;
}

/** The place where none is given. */
export const USUAL_STATE: ScheduleStatePlace = { type: 'configMap', name: 'hooklet-schedules', isForced: false };

/** Opens the schedules of these units; nothing is read or written before one of them needs it. */
export function openSchedules(options: ScheduleStateOptions, units: () => readonly HookUnit[]): Schedules {
  const { scheduleState: place = USUAL_STATE, env, holdOf, log } = options;
  // Pods on the network of their node have the same host name.
  const { POD_NAME: podName = '' } = env;
  const host = podName === '' ? hostname() : podName;
  return new Schedules({
    units,
    kept: new KeptRecords(openStore(place, options), log),
    keepsAll: place.isForced,
    host,
    ...(holdOf !== undefined && { holdOf }),
    log,
  });
}

function openStore(place: ScheduleStatePlace, { access, env, log }: ScheduleStateOptions): ScheduleStore {
  if (place.type === 'file') return new FileStore(place.path, log);
  const namespace = ownNamespace(env, access.cluster.namespace);
  return new ConfigMapStore(access.client, { namespace, name: place.name });
}
