import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '@hooklet/sandbox';
import type { OperatorOptions } from '../../src/operator/run-operator.ts';
import { sandboxCluster, startOperator, type OperatorRig, type SeenContext } from './operator-rig.ts';

/** Short moves, and times so long that a busy machine loses no Lease. */
export const SHARDS = {
  leaseName: 'hooklet-shards',
  leaseDurationMs: 60_000,
  renewDeadlineMs: 40_000,
  retryPeriodMs: 100,
  moveEveryMs: 100,
};

export interface ReplicaOptions {
  readonly hooks: Readonly<Record<string, string>>;
  readonly operator?: Partial<OperatorOptions>;
}

/** A replica that divides the objects of a sandbox with others. */
export function shardReplica(sandbox: Sandbox, name: string, { hooks, operator }: ReplicaOptions): OperatorRig {
  return startOperator({
    connect: sandboxCluster(sandbox),
    hooks,
    operator: { shards: SHARDS, gracePeriodMs: 60_000, ...operator },
    env: { POD_NAME: name, POD_NAMESPACE: 'default', POD_UID: name },
  });
}

/** A shell hook that records its contexts, with when each run began and ended. */
export function timedHook(config: unknown, seconds = '0.01'): string {
  return `#!/bin/sh
set -eu
if [ "\${1:-}" = --config ]; then
cat <<'CONFIG'
${JSON.stringify(config)}
CONFIG
exit
fi
name=$(basename "$0")
mkdir -p "$OUT/$name"
start=$(date +%s%N)
sleep ${seconds}
cat "$BINDING_CONTEXT_PATH" > "$OUT/$name/.$start.$$"
mv "$OUT/$name/.$start.$$" "$OUT/$name/$start.$(date +%s%N).$$"
`;
}

/** A run of a timed hook; times are nanoseconds since the epoch. */
export interface TimedRun {
  readonly replica: string;
  readonly began: bigint;
  readonly ended: bigint;
  readonly contexts: readonly SeenContext[];
}

/** The runs of a timed hook on some replicas, by when they began. */
export function timedRuns(replicas: Readonly<Record<string, OperatorRig>>, hook: string): readonly TimedRun[] {
  const runs = Object.entries(replicas).flatMap(([replica, { out }]) => runsIn(join(out, hook), replica));
  return runs.toSorted((a, b) => (a.began < b.began ? -1 : 1));
}

function runsIn(folder: string, replica: string): readonly TimedRun[] {
  return filesIn(folder).map((file) => {
    const [began = '', ended = ''] = file.split('.');
    const contexts = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly SeenContext[];
    return { replica, began: BigInt(began), ended: BigInt(ended), contexts };
  });
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((file) => !file.startsWith('.'));
  } catch {
    return [];
  }
}

interface KubeObject {
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly resourceVersion: string };
}

/** Every object that the contexts of a run show as its own, not in snapshots. */
export function objectsOf({ contexts }: Pick<TimedRun, 'contexts'>): readonly KubeObject[] {
  return contexts.flatMap((context) => {
    const items = (context['objects'] as readonly { readonly object: KubeObject }[] | undefined) ?? [];
    const one = context['object'] as KubeObject | undefined;
    return [...items.map(({ object }) => object), ...(one === undefined ? [] : [one])];
  });
}

export function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}

/** The objects that were in two runs at the same time, and where. */
export function overlaps(runs: readonly TimedRun[]): readonly string[] {
  const last = new Map<string, TimedRun>();
  const found: string[] = [];
  for (const run of runs) {
    for (const key of new Set(objectsOf(run).map(keyOf))) {
      const before = last.get(key);
      if (before !== undefined && before.ended > run.began) found.push(`${key}: ${before.replica}, ${run.replica}`);
      if (before === undefined || run.ended > before.ended) last.set(key, run);
    }
  }
  return found;
}

/** The last version of each object that a run was given. */
export function lastVersions(runs: readonly TimedRun[]): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const object of runs.flatMap(objectsOf)) {
    const { resourceVersion } = object.metadata;
    const before = last.get(keyOf(object));
    if (before === undefined || Number(before) < Number(resourceVersion)) last.set(keyOf(object), resourceVersion);
  }
  return last;
}
