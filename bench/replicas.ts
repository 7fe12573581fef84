import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from './figures.ts';
import { openLineFile, type LineFile } from './line-file.ts';
import { busySeconds, pssMb } from './memory.ts';
import { startOperator, type RunningOperator } from './operator.ts';
import type { BenchStage } from './stage.ts';

/** An operator, and the lines of its hooks. */
export interface Replica {
  readonly operator: RunningOperator;
  readonly out: LineFile;
}

/** Starts an operator with a Node of its own, so that its memory is that of a container beside others. */
export async function startReplica(
  stage: BenchStage,
  {
    name,
    hooksDir,
    flags = [],
  }: { readonly name: string; readonly hooksDir: string; readonly flags?: readonly string[] },
  ends: AsyncDisposableStack,
): Promise<Replica> {
  const node = join(stage.folder, `node-${name}`);
  cpSync(stage.bareNode, node);
  const [, ...main] = stage.hooklet.command;
  const out = ends.use(openLineFile(join(stage.folder, `${name}.out`)));
  const operator = ends.use(
    await startOperator(stage, {
      hooksDir,
      flags,
      contender: { ...stage.hooklet, command: [node, ...main] },
      env: { BENCH_OUT: out.path, POD_NAME: name, POD_NAMESPACE: 'default' },
    }),
  );
  return { operator, out };
}

/** What a replica takes of its machine. */
export interface Load {
  readonly mb: number;
  /** CPU time at rest, of one core. */
  readonly restPercent: number;
  /** CPU time for an event that any of the replicas sees, beyond that at rest. */
  readonly eventUs: number;
  /** The same where events wait to be read, as they do at full load. */
  readonly waitingEventUs: number;
}

/** What happens while replicas are measured. */
export interface Changes {
  readonly events: number;
  /** Makes that many events, as the server takes them. */
  readonly change: () => Promise<void>;
  /** Lets events wait while `work` runs. */
  readonly batched: (work: () => Promise<void>) => Promise<void>;
}

// V8 returns memory to the system after eight idle seconds.
const SETTLE_MS = 20_000;
const REST_MS = 20_000;
const CATCH_UP_MS = 2000;

/** The memory of a replica once V8 has given back what it does not need. */
export async function settledMb({ operator }: Replica): Promise<number> {
  await sleep(SETTLE_MS);
  return pssMb(operator.pid);
}

/** Measures all replicas at once: at rest, then with events. */
export async function loadsOf(
  replicas: readonly Replica[],
  { events, change, batched }: Changes,
): Promise<readonly Load[]> {
  await sleep(SETTLE_MS);
  const mb = replicas.map(({ operator }) => pssMb(operator.pid));
  const rest = await busyDuring(replicas, async () => sleep(REST_MS));
  // Code that is new, or was discarded while it was idle, is slower until it is optimized.
  await change();
  const seen = async (work: () => Promise<void>): Promise<Busy> =>
    busyDuring(replicas, async () => {
      await work();
      await sleep(CATCH_UP_MS);
    });
  const single = await seen(change);
  const waiting = await seen(async () => batched(change));
  return replicas.map((_, index) => {
    const share = rest.share(index);
    const ofEvent = (busy: Busy): number => ((busy.seconds(index) - share * busy.tookSeconds) * 1e6) / events;
    return {
      mb: mb[index] ?? 0,
      restPercent: share * 100,
      eventUs: ofEvent(single),
      waitingEventUs: ofEvent(waiting),
    };
  });
}

interface Busy {
  readonly tookSeconds: number;
  /** CPU time of a replica. */
  seconds(index: number): number;
  share(index: number): number;
}

async function busyDuring(replicas: readonly Replica[], work: () => Promise<void>): Promise<Busy> {
  const now = (): readonly number[] => replicas.map(({ operator }) => busySeconds(operator.pid));
  const before = now();
  const beganAtMs = performance.now();
  await work();
  const after = now();
  const tookSeconds = (performance.now() - beganAtMs) / 1000;
  const seconds = (index: number): number => (after[index] ?? 0) - (before[index] ?? 0);
  return { tookSeconds, seconds, share: (index) => seconds(index) / tookSeconds };
}
