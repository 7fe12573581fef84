import { ALL_SLICES } from '../src/kube/coordination/slices/assignment.ts';
import { sliceOfText } from '../src/lib/slice-hash.ts';
import { nowMs, sleep } from './figures.ts';
import type { LineFile } from './line-file.ts';
import { writeShellHook } from './shell-hook.ts';
import type { BenchStage } from './stage.ts';

const EVERY_MS = 50;
const NAME = 'probe';
/** How long a slice is still probed after its move, so that the one that took it is seen to work. */
const AFTER_MS = 3000;

/** An object in each slice, which changes while its slice moves. */
export interface Probes {
  /** Says which slices move now. */
  readonly moving: (slices: readonly number[]) => void;
  /** Ends the changes. */
  finish(): Promise<Written>;
}

/** When the object of each slice that moved was changed. */
export type Written = ReadonlyMap<number, readonly number[]>;

/** The hook that follows the probes: it appends its begin and when the version that it got was written. */
export function writeProbeHook(path: string): void {
  const binding = {
    name: 'probes',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    labelSelector: { matchLabels: { bench: NAME } },
  };
  const body = `grep -oE '"at": ?"[0-9.-]+"' "$BINDING_CONTEXT_PATH" | sed "s/^/$began /" >> "$BENCH_OUT"`;
  writeShellHook(path, { kubernetes: [binding] }, body);
}

/** Creates the probes in namespaces that exist. */
export async function createProbes(
  { api }: Pick<BenchStage, 'api'>,
  namespaces: readonly string[],
): Promise<ReadonlyMap<number, string>> {
  const paths = new Map<number, string>();
  for (const slice of ALL_SLICES) {
    const namespace = namespaces.find((name) => sliceOfText('mixed', name) === slice);
    if (namespace === undefined) continue;
    const folder = `/api/v1/namespaces/${namespace}/configmaps`;
    await api.call('POST', folder, { metadata: { name: NAME, labels: { bench: NAME } }, data: { at: `${slice}-0` } });
    paths.set(slice, `${folder}/${NAME}`);
  }
  return paths;
}

/** Changes the probe of each moving slice twenty times a second. */
export function startProbes({ api }: Pick<BenchStage, 'api'>, paths: ReadonlyMap<number, string>): Probes {
  const untilMs = new Map<number, number>();
  const written = new Map<number, number[]>();
  let isOver = false;
  const write = async (slice: number, path: string): Promise<void> => {
    const at = nowMs();
    const patch = { data: { at: `${slice}-${at.toFixed(1)}` } };
    written.set(slice, [...(written.get(slice) ?? []), Number(at.toFixed(1))]);
    await api.call('PATCH', path, patch, 'application/merge-patch+json');
  };
  const work = async (): Promise<void> => {
    while (!isOver) {
      const now = Date.now();
      const due = [...paths].filter(([slice]) => (untilMs.get(slice) ?? 0) > now);
      await Promise.all(due.map(async ([slice, path]) => write(slice, path)));
      await sleep(EVERY_MS);
    }
  };
  const done = work();
  return {
    moving: (slices) => {
      for (const slice of slices) untilMs.set(slice, Date.now() + AFTER_MS);
    },
    finish: async () => {
      await sleep(AFTER_MS);
      isOver = true;
      await done;
      return written;
    },
  };
}

/** The lines of the hooks, read. */
export interface Sighting {
  readonly slice: number;
  readonly beganAtMs: number;
  /** When the version that the run got was written. */
  readonly atMs: number;
}

/** What the hook of some replicas was given. */
export function sightingsOf(outs: readonly LineFile[]): readonly Sighting[] {
  return outs.flatMap((out) =>
    out.lines().flatMap((line) => {
      const found = /^(\S+) "at": ?"(\d+)-([\d.]+)"$/.exec(line);
      if (found === null) return [];
      return [{ slice: Number(found[2]), beganAtMs: Number(found[1]) * 1000, atMs: Number(found[3]) }];
    }),
  );
}

/** How late the latest event of each slice was: until a run had that version of the object, or a later one. */
export function worstLateness(written: Written, sightings: readonly Sighting[]): readonly number[] {
  return [...written].map(([slice, times]) => {
    const own = sightings.filter((one) => one.slice === slice);
    return Math.max(...times.map((at) => firstSight(own, at) - at));
  });
}

function firstSight(sightings: readonly Sighting[], at: number): number {
  return Math.min(...sightings.filter(({ atMs }) => atMs >= at).map(({ beganAtMs }) => beganAtMs));
}
