import { readAssignment, type SliceEntry } from '../src/kube/coordination/slices/assignment.ts';
import { sleep } from './figures.ts';
import { asJson } from './soak/api.ts';
import type { BenchStage } from './stage.ts';

const PATH = '/api/v1/namespaces/default/configmaps/hooklet-shards-slices';
const LOOK_MS = 200;
const TIME_LIMIT_MS = 900_000;

/** Which member has which of the slices now; empty while nobody has written it. */
export async function assignedSlices({ api }: Pick<BenchStage, 'api'>): Promise<readonly SliceEntry[]> {
  const { status, body } = await api.call('GET', PATH);
  if (status === 404) return [];
  const read = readAssignment(String(asJson(body['data'])['slices.json']), { hash: 'mixed', where: PATH });
  if (read.type !== 'read') throw new Error(read.problem);
  return read.assignment.slices;
}

/** Waits until this many members have their parts; `onMoving` is told which slices move, five times a second. */
export async function balancedSlices(
  stage: Pick<BenchStage, 'api'>,
  members: number,
  onMoving: (slices: readonly number[]) => void = () => {},
): Promise<readonly SliceEntry[]> {
  const deadline = Date.now() + TIME_LIMIT_MS;
  for (;;) {
    const slices = await assignedSlices(stage);
    onMoving(slices.flatMap(({ wanted }, slice) => (wanted === '' ? [] : [slice])));
    if (isBalanced(slices, members)) return slices;
    if (Date.now() > deadline) throw new Error(`${members} members have not divided the slices in time`);
    await sleep(LOOK_MS);
  }
}

/** The slices that have another holder than before. */
export function movedSlices(before: readonly SliceEntry[], after: readonly SliceEntry[]): ReadonlySet<number> {
  return new Set(after.flatMap(({ holder }, slice) => (holder === before[slice]?.holder ? [] : [slice])));
}

function isBalanced(slices: readonly SliceEntry[], members: number): boolean {
  if (slices.length === 0 || slices.some(({ holder, wanted }) => holder === '' || wanted !== '')) return false;
  const loads = Map.groupBy(slices, ({ holder }) => holder);
  const counts = [...loads.values()].map(({ length }) => length);
  return counts.length === members && Math.max(...counts) - Math.min(...counts) < 2;
}
