import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBare, type BareClient } from '../bare/client.ts';
import { median } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import { openLineFile } from '../line-file.ts';
import { startOperator } from '../operator.ts';
import type { Measure } from '../row.ts';
import { bindingOf } from '../seer.ts';
import { writeShellHook } from '../shell-hook.ts';
import { stageFolder, type BenchStage, type Contender } from '../stage.ts';
import { openWatch, type BenchWatch } from '../watch.ts';

const ROUNDS = 5;
const OBJECTS = 200;
// The number of requests that hooklet sends in parallel.
const AT_ONCE = 32;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/**
 * Measures from the end of a hook that requests 200 CreateOrUpdate operations to the last of them: for existing
 * objects (`update`), and for new ones (`create`). The limit is a loop of as many PUT or POST requests, one after
 * another, and the same with as many in parallel as hooklet sends.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  await using ends = new AsyncDisposableStack();
  const hooklet = await startWriter(stage, stage.hooklet, ends);
  const limit = await startBareWriter(stage, ends, { label: 'limit', atOnce: 1 });
  const floor = await startBareWriter(stage, ends, { label: 'floor', atOnce: AT_ONCE });
  const peer = stage.peer && (await startWriter(stage, stage.peer, ends));
  const measured = async (
    name: string,
    setOf: (round: number) => string,
    goal?: Measure['goal'],
  ): Promise<readonly Measure[]> => {
    const times = await interleaved(ROUNDS, {
      hooklet: async (round) => hooklet({ set: `hooklet-${setOf(round)}`, value: `${name} ${round}` }),
      limit: async (round) => limit({ set: `limit-${setOf(round)}`, value: `${name} ${round}` }),
      floor: async (round) => floor({ set: `floor-${setOf(round)}`, value: `${name} ${round}` }),
      peer: peer && (async (round) => peer({ set: `peer-${setOf(round)}`, value: `${name} ${round}` })),
    });
    const figures = {
      unit: 'ms',
      hooklet: median(times.hooklet),
      ...(times.peer.length > 0 && { peer: median(times.peer) }),
    } as const;
    return [
      { ...figures, name, limit: median(times.limit), ...(goal !== undefined && { goal }) },
      { ...figures, name: `${name}, limit ${AT_ONCE} at once`, limit: median(times.floor) },
    ];
  };
  const create = await measured('create', (round) => `${round}`);
  const update = await measured('update', () => '0', { type: 'ratio', most: 0.3 });
  return [...update, ...create];
}

interface Writes {
  /** The subject whose objects are written. */
  readonly set: string;
  readonly value: string;
}

/** Writes a set of objects, and resolves to the milliseconds it took. */
type Writer = (writes: Writes) => Promise<number>;

async function startWriter(stage: BenchStage, contender: Contender, ends: AsyncDisposableStack): Promise<Writer> {
  const label = contender.name;
  const hooksDir = stageFolder(stage, `hooks-${label}`);
  const patches = join(stage.folder, `${label}.patches`);
  const out = ends.use(openLineFile(join(stage.folder, `${label}.out`)));
  const body = 'cp "$BENCH_PATCHES" "$KUBERNETES_PATCH_PATH"\necho "$EPOCHREALTIME" >> "$BENCH_OUT"';
  writeShellHook(join(hooksDir, 'patches.sh'), { kubernetes: [bindingOf(label)] }, body);
  const env = { BENCH_OUT: out.path, BENCH_PATCHES: patches };
  const operator = ends.use(await startOperator(stage, { hooksDir, contender, env }));
  await operator.synchronized();
  const watch = ends.use(await watchOf(stage, label));
  let runs = 0;
  return async (writes) => {
    const operations = objectsOf(label, writes).map((object) => ({ operation: 'CreateOrUpdate', object }));
    writeFileSync(patches, operations.map((operation) => `${JSON.stringify(operation)}\n`).join(''));
    const metadata = { name: `${label}-trigger-${runs++}`, labels: { bench: label } };
    await stage.api.call('POST', CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    const began = (await out.reach(runs))[runs - 1];
    return (await watch.seen(OBJECTS)) - Number(began) * 1000;
  };
}

interface BareWriter {
  readonly label: string;
  readonly atOnce: number;
}

async function startBareWriter(
  stage: BenchStage,
  ends: AsyncDisposableStack,
  { label, atOnce }: BareWriter,
): Promise<Writer> {
  const bare: BareClient = ends.use(await startBare(stage, 'write-loop', { BARE_AT_ONCE: String(atOnce) }));
  const watch = ends.use(await watchOf(stage, label));
  const known = new Set<string>();
  return async (writes) => {
    const isNew = !known.has(writes.set);
    known.add(writes.set);
    const requests = objectsOf(label, writes).map((object) => ({
      method: isNew ? 'POST' : 'PUT',
      path: isNew ? CONFIG_MAPS : `${CONFIG_MAPS}/${object.metadata.name}`,
      body: JSON.stringify(object),
    }));
    bare.say(JSON.stringify(requests));
    const endedMs = await watch.seen(OBJECTS);
    return endedMs - Number((await bare.lines.next()).value);
  };
}

async function watchOf(stage: BenchStage, writer: string): Promise<BenchWatch> {
  return openWatch(stage, `${CONFIG_MAPS}?labelSelector=written-by%3D${writer}`);
}

function objectsOf(writer: string, { set, value }: Writes) {
  return Array.from({ length: OBJECTS }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${set}-${index}`, namespace: 'default', labels: { 'written-by': writer } },
    data: { value, index: String(index) },
  }));
}
