import { hostname } from 'node:os';
import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import type { Logger } from '../../log.ts';
import { keptSchedules, SCHEDULE_WORDS } from '../../sources/schedule/records.ts';
import { ConfigMapStore } from '../../state/config-map-store.ts';
import { memoryStore } from '../../state/memory-store.ts';
import { FileStore } from '../../state/file-store.ts';
import type { Store } from '../../state/store.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import { Schedules, type SchedulesOptions } from './schedules.ts';

/** Where schedules are persisted; without `isForced`, only those that make up for missed ticks. */
export type ScheduleStatePlace = (
  | { readonly type: 'configMap'; readonly name: string }
  | { readonly type: 'file'; readonly path: string }
  /** For as long as the process lives. */
  | { readonly type: 'memory' }
) & { readonly isForced: boolean };

export interface ScheduleStateOptions {
  /** Default `DEFAULT_STATE`. */
  readonly scheduleState?: ScheduleStatePlace | undefined;
  readonly access: Pick<ClusterAccess, 'client' | 'cluster'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly holdOf?: SchedulesOptions['holdOf'];
  readonly log: Logger;
}

/** The ConfigMap for schedules that make up for missed ticks. */
export const DEFAULT_STATE: ScheduleStatePlace = { type: 'configMap', name: 'hooklet-schedules', isForced: false };

const OPTION = '--schedule-state';

/** Creates the schedules of all units. The store is neither read nor written before a schedule needs it. */
export function openSchedules(options: ScheduleStateOptions, units: () => readonly HookUnit[]): Schedules {
  const { scheduleState: place = DEFAULT_STATE, env, holdOf, log } = options;
  // Pods on the network of their node have the same host name.
  const { POD_NAME: podName = '' } = env;
  const host = podName === '' ? hostname() : podName;
  return new Schedules({
    units,
    kept: keptSchedules(openStore(place, options), log),
    keepsAll: place.isForced,
    host,
    ...(holdOf !== undefined && { holdOf }),
    log,
  });
}

function openStore(place: ScheduleStatePlace, { access, env, log }: ScheduleStateOptions): Store {
  if (place.type === 'memory') return memoryStore();
  if (place.type === 'file') return new FileStore({ path: place.path, what: SCHEDULE_WORDS.what, option: OPTION, log });
  const namespace = ownNamespace(env, access.cluster.namespace);
  return new ConfigMapStore(access.client, { namespace, name: place.name, option: OPTION });
}
