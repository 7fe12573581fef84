import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** An object as a hook was called for it; snapshots do not count. */
export interface AuditedObject {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
}

/** One run of a hook of `auditedHook`; times are milliseconds since the epoch. */
export interface AuditedRun {
  readonly hook: string;
  readonly replica: string;
  readonly began: number;
  /** When it was last known to be alive. */
  readonly alive: number;
  readonly hasEnded: boolean;
  readonly objects: readonly AuditedObject[];
  /** Of its Synchronizations: those of slices that others had are `handover`. */
  readonly reasons: readonly string[];
}

/**
 * A hook in bash that reports to the folder $OUT what it is called for, when it begins and ends, and that it is alive. It
 * goes on for as long as there is a file `hold-NAMESPACE` or `hold-on-REPLICA`, and none `go-NAMESPACE`, then does `work`
 * for each object, whose `name` and `namespace` are variables.
 */
export function auditedHook(config: unknown, work = ':'): string {
  return `#!/bin/bash
set -eu
if [ "\${1:-}" = --config ]; then
  cat <<'CONFIG'
${JSON.stringify(config)}
CONFIG
  exit
fi
began=$EPOCHREALTIME
mine="$(basename "$0" .sh),$REPLICA,$began,$$"
cat "$BINDING_CONTEXT_PATH" > "$OUT/.contexts,$mine"
: > "$OUT/alive,$mine"
mv "$OUT/.contexts,$mine" "$OUT/contexts,$mine"
while read -r namespace name; do
  while [ -e "$OUT/hold-$namespace" ] || [ -e "$OUT/hold-on-$REPLICA" ]; do
    ! [ -e "$OUT/go-$namespace" ] || break
    : > "$OUT/alive,$mine"
    sleep 0.1
  done
  ${work}
done < <(jq -r '.[] | (.objects[]?.object, .object // empty).metadata | "\\(.namespace) \\(.name)"' "$BINDING_CONTEXT_PATH")
: > "$OUT/end,$mine"
`;
}

/** All runs that hooks have reported, by when they began. */
export function runsIn(folder: string): readonly AuditedRun[] {
  const files = new Set(readdirSync(folder));
  const runs = [...files].filter((file) => file.startsWith('contexts,')).map((file) => runOf(folder, file, files));
  return runs.toSorted((a, b) => a.began - b.began);
}

function runOf(folder: string, file: string, files: ReadonlySet<string>): AuditedRun {
  const mine = file.slice('contexts,'.length);
  const [hook = '', replica = '', began = ''] = mine.split(',');
  const hasEnded = files.has(`end,${mine}`);
  const last = statSync(join(folder, `${hasEnded ? 'end' : 'alive'},${mine}`)).mtimeMs;
  const contexts: readonly Context[] = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return {
    hook,
    replica,
    began: Number(began) * 1000,
    alive: Math.max(last, Number(began) * 1000),
    hasEnded,
    objects: contexts.flatMap(objectsOf),
    reasons: contexts.flatMap(({ type, reason = 'start' }) => (type === 'Synchronization' ? [reason] : [])),
  };
}

interface Context {
  readonly type?: string;
  readonly reason?: string;
  readonly object?: KubeObject;
  readonly objects?: readonly { readonly object: KubeObject }[];
}

interface KubeObject {
  readonly metadata: {
    readonly uid: string;
    readonly namespace?: string;
    readonly name: string;
    readonly resourceVersion: string;
  };
}

function objectsOf({ object, objects = [] }: Context): readonly AuditedObject[] {
  const all = [...objects.map((item) => item.object), ...(object === undefined ? [] : [object])];
  return all.map(({ metadata: { uid, namespace = '', name, resourceVersion } }) => ({
    uid,
    namespace,
    name,
    version: Number(resourceVersion),
  }));
}

/** The objects that were in two runs of one hook at the same time, and where. */
export function overlapsIn(runs: readonly AuditedRun[]): readonly string[] {
  const last = new Map<string, AuditedRun>();
  const found: string[] = [];
  for (const run of runs) {
    for (const { uid, namespace, name } of new Map(run.objects.map((object) => [object.uid, object])).values()) {
      const key = `${run.hook} ${uid}`;
      const before = last.get(key);
      if (before !== undefined && run.began < before.alive) {
        const lateMs = Math.round(before.alive - run.began);
        found.push(
          `${run.hook}: ${namespace}/${name}: ${run.replica} began ${lateMs} ms before ${before.replica} ended`,
        );
      }
      if (before === undefined || run.alive > before.alive) last.set(key, run);
    }
  }
  return found;
}

/** The latest version of each object that a run of the hook was called for to its end, by uid. */
export function versionsIn(runs: readonly AuditedRun[], hook: string): ReadonlyMap<string, number> {
  const versions = new Map<string, number>();
  for (const { uid, version } of runs
    .filter((run) => run.hook === hook && run.hasEnded)
    .flatMap((run) => run.objects)) {
    versions.set(uid, Math.max(version, versions.get(uid) ?? 0));
  }
  return versions;
}

/** The replicas that were called for an object, in order, each named once for its runs that follow one another. */
export function replicasOf(runs: readonly AuditedRun[], namespace: string): readonly string[] {
  const of = runs.filter(({ objects }) => objects.some((object) => object.namespace === namespace));
  return of.map(({ replica }) => replica).filter((replica, index, all) => replica !== all[index - 1]);
}

/** The replica of the last run about the objects of each namespace. */
export function lastReplicas(runs: readonly AuditedRun[]): ReadonlyMap<string, string> {
  return new Map(runs.flatMap(({ replica, objects }) => objects.map(({ namespace }) => [namespace, replica] as const)));
}
