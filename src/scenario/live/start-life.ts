import type { Cluster } from '../../kube/credentials/cluster.ts';
import type { Logger } from '../../log.ts';
import type { OperatorOptions } from '../../operator/run-operator.ts';
import type { SpawnerChild } from '../../runner/spawner-child.ts';
import type { Given } from '../world.ts';
import { drivenCluster } from './driven-cluster.ts';
import { currentRun, OperatorLife, type LifeOptions } from './operator-life.ts';
import { recordLog } from './record-log.ts';
import type { Surroundings } from './surroundings.ts';
import type { WorldCluster } from './world-cluster.ts';

/** The options of the operator for those of a world, by their long names; throws a `ScenarioError`. */
export type OptionsOf = (
  given: Pick<Given, 'hooksDir' | 'options'>,
  parts: { readonly connect: () => Promise<Cluster>; readonly log: Logger },
) => OperatorOptions;

export interface StartLifeOptions extends Pick<LifeOptions, 'recorder' | 'doomed' | 'onSign'> {
  readonly given: Given;
  /** Its number, from 1 in each world. */
  readonly life: number;
  readonly cluster: WorldCluster;
  readonly surroundings: Surroundings;
  readonly spawner: SpawnerChild;
  readonly optionsOf: OptionsOf;
  /** Whether its log still counts. */
  readonly isCurrent: () => boolean;
  /** The virtual time. */
  readonly nowMs: () => number;
}

/** From SIGTERM to SIGKILL for a hook that is ended. */
const KILL_AFTER_MS = 100;
/** The longest time for which a watch may be quiet: as long as a timer may be. */
const MAX_SECONDS = 2_000_000;

/** Starts a life of the operator of a world. */
export function startLife(options: StartLifeOptions): OperatorLife {
  const { given, life, cluster, surroundings, spawner, optionsOf, isCurrent, nowMs, ...rest } = options;
  const { hooks, hooksDir, isSparing } = given;
  const driven = drivenCluster(cluster.sandbox, () =>
    cluster.tokenOf({ by: 'hooklet', life, run: currentRun.getStore() }),
  );
  const log = recordLog(rest.recorder, isCurrent);
  const base = optionsOf(given, { connect: async () => driven.cluster, log });
  const operator: OperatorOptions = {
    ...base,
    hooksDir,
    tmpDir: surroundings.tmpDir,
    hookEnv: surroundings.envOfLife(life),
    killAfterMs: KILL_AFTER_MS,
    ...(hooks !== undefined && { isWanted: (name: string) => hooks.includes(name) }),
    cluster: { ...base.cluster, watchIdleTimeoutMs: MAX_SECONDS * 1000, watchSeconds: MAX_SECONDS },
    log,
  };
  return new OperatorLife({
    ...rest,
    operator,
    driven,
    spawner,
    isSparing: isSparing === true,
    envOf: (run) => surroundings.envOfRun(life, run, nowMs()),
  });
}
