import { join } from 'node:path';
import type { SliceEntry } from '../../src/kube/coordination/slices/assignment.ts';
import { sliceOfText } from '../../src/lib/slice-hash.ts';
import { openRelay, type BatchingRelay } from '../batching-relay.ts';
import { changeConfigMaps, fillConfigMaps, namespaceOf, type Spread } from '../config-maps.ts';
import { nowMs, quantile } from '../figures.ts';
import { loadsOf, settledMb, startReplica, type Load, type Replica } from '../replicas.ts';
import type { Goal, Measure, Unit } from '../row.ts';
import { balancedSlices, movedSlices } from '../shard-moves.ts';
import { createProbes, sightingsOf, startProbes, worstLateness, writeProbeHook } from '../shard-probes.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const SPREAD: Spread = { objects: 100_000, namespaces: 400 };
const EVENTS = 6000;
const MOST_REPLICAS = 4;
/** A machine that all replicas share with an API server is so busy that renewals come late. */
const FLAGS = ['--shards', '--leader-election-lease-duration', '60s', '--leader-election-renew-deadline', '40s'];
const NAMESPACES = Array.from({ length: SPREAD.namespaces }, (_, index) => namespaceOf(SPREAD, index));
const NOTHING: Load = { mb: 0, restPercent: 0, eventUs: 0, waitingEventUs: 0 };

/**
 * Replicas that divide 100,000 ConfigMaps join one after the other. The limit is one replica without `--shards`, which
 * sees the same events at the same time, so that other load on the machine affects all alike. No hook runs for an event
 * of these objects: what counts is the way from the line to the stored object. The cores of this machine do not carry
 * all replicas at full speed, so how many events a second replicas with a core each can follow is computed: from the
 * CPU time that an event costs the busiest of them, whoever has its object, while events wait as they do at full load.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await using ends = new AsyncDisposableStack();
  const hooksDir = stageFolder(stage, 'hooks');
  writeShellHook(join(hooksDir, 'objects.sh'), { kubernetes: [BINDING] });
  writeProbeHook(join(hooksDir, 'probe.sh'));
  const emptyMb = await memoryWithout(stage, hooksDir);
  await fillConfigMaps(stage, SPREAD);
  const relay = await openRelay(stage, ends);
  const scene = {
    stage,
    relay,
    hooksDir,
    probes: await createProbes(stage, NAMESPACES),
    single: await startReplica(relay.stage, { name: 'single', hooksDir }, ends),
    ends,
  };
  await scene.single.operator.synchronized();
  const measures: Measure[] = [];
  const joins: Join[] = [];
  const replicas: Replica[] = [];
  let slices: readonly SliceEntry[] = [];
  for (let count = 1; count <= MOST_REPLICAS; count++) {
    const joined = await addReplica(scene, { replicas, slices });
    slices = joined.slices;
    joins.push(joined);
    // Three are a step to four.
    if (count !== 3) measures.push(...loadMeasures(await loads(scene, replicas), emptyMb));
  }
  return [...measures, ...joins.slice(1).flatMap(joinMeasures), ...latenessMeasures(joins.slice(1))];
}

const BINDING = {
  name: 'objects',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  labelSelector: { matchLabels: { app: 'web' } },
  executeHookOnEvent: ['Added'],
  executeHookOnSynchronization: false,
};

interface Scene {
  readonly relay: BatchingRelay;
  readonly stage: BenchStage;
  readonly hooksDir: string;
  readonly probes: ReadonlyMap<number, string>;
  readonly single: Replica;
  readonly ends: AsyncDisposableStack;
}

/** An operator with the same hooks and without objects. */
async function memoryWithout(stage: BenchStage, hooksDir: string): Promise<number> {
  await using ends = new AsyncDisposableStack();
  const replica = await startReplica(stage, { name: 'empty', hooksDir }, ends);
  await replica.operator.synchronized();
  return await settledMb(replica);
}

interface Join {
  /** Members after it. */
  readonly count: number;
  readonly slices: readonly SliceEntry[];
  readonly moved: ReadonlySet<number>;
  /** From the start of its process until it has its part. */
  readonly seconds: number;
  /** How late the latest event of each slice was that moved, and of the same events without shards. */
  readonly lateMs: readonly number[];
  readonly singleLateMs: readonly number[];
}

/** Starts one more replica, and waits until it has its part. */
async function addReplica(
  { stage, relay, hooksDir, probes: paths, single, ends }: Scene,
  { replicas, slices: before }: { readonly replicas: Replica[]; readonly slices: readonly SliceEntry[] },
): Promise<Join> {
  const count = replicas.length + 1;
  const probes = startProbes(stage, paths);
  const name = `replica-${count}`;
  const replica = await startReplica(relay.stage, { name, hooksDir, flags: FLAGS }, ends);
  replicas.push(replica);
  const slices = await balancedSlices(stage, count, probes.moving);
  await replica.operator.synchronized();
  const seconds = (nowMs() - replica.operator.startedAtMs) / 1000;
  const written = await probes.finish();
  return {
    count,
    slices,
    moved: movedSlices(before, slices),
    seconds,
    lateMs: worstLateness(written, sightingsOf(replicas.map(({ out }) => out))),
    singleLateMs: worstLateness(written, sightingsOf([single.out])),
  };
}

interface Loads {
  readonly single: Load;
  readonly replicas: readonly Load[];
}

async function loads({ stage, relay, single }: Scene, replicas: readonly Replica[]): Promise<Loads> {
  const change = async (): Promise<void> => changeConfigMaps(stage, SPREAD, EVENTS);
  const changes = { events: EVENTS, change, batched: relay.batched };
  const [first, ...others] = await loadsOf([single, ...replicas], changes);
  return { single: first ?? NOTHING, replicas: others };
}

function loadMeasures({ single, replicas }: Loads, emptyMb: number): readonly Measure[] {
  const count = replicas.length;
  const highest = (what: (load: Load) => number): number => Math.max(...replicas.map(what));
  const figure = (name: string, unit: Unit, what: (load: Load) => number): Measure => ({
    name: `${count} with --shards: ${name}`,
    unit,
    hooklet: highest(what),
    limit: what(single),
  });
  return [
    figure('memory of the largest, PSS', 'MB', ({ mb }) => mb),
    figure('of it for objects', 'MB', ({ mb }) => mb - emptyMb),
    figure('CPU of an event in the busiest, one at a time', 'us', ({ eventUs }) => eventUs),
    figure('the same, where events wait', 'us', ({ waitingEventUs }) => waitingEventUs),
    figure('CPU at rest', '%', ({ restPercent }) => restPercent),
    {
      name: `${count} with --shards: events that they follow with a core each, computed`,
      unit: 'events/s',
      hooklet: 1e6 / highest(({ waitingEventUs }) => waitingEventUs),
      limit: 1e6 / single.waitingEventUs,
    },
  ];
}

function joinMeasures({ count, slices, moved, seconds }: Join): readonly Measure[] {
  const movedNamespaces = NAMESPACES.filter((namespace) => moved.has(sliceOfText('mixed', namespace)));
  const goal: Goal = { type: 'value', most: Math.round(100 / count + 5) };
  const share = (part: number, all: number): number => (part / all) * 100;
  const name = (what: string): string => `${count - 1} to ${count} replicas: ${what}`;
  return [
    { name: name('slices that move'), unit: '%', hooklet: share(moved.size, slices.length), goal },
    { name: name('objects that move'), unit: '%', hooklet: share(movedNamespaces.length, NAMESPACES.length), goal },
    { name: name('start to its part'), unit: 's', hooklet: seconds },
  ];
}

function latenessMeasures(joins: readonly Join[]): readonly Measure[] {
  const late = joins.flatMap(({ lateMs }) => lateMs);
  const limit = joins.flatMap(({ singleLateMs }) => singleLateMs);
  const figure = (name: string, share: number): Measure => ({
    name: `latest event of a slice while it moves, ${name}`,
    unit: 'ms',
    hooklet: quantile(late, share),
    limit: quantile(limit, share),
  });
  return [figure('p50', 0.5), figure('max', 1)];
}
