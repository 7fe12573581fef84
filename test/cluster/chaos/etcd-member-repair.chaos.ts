import { expect, it } from 'vitest';
import { EtcdOracle } from '../examples/etcd-oracle.ts';
import { ENDS, untoldEnds } from '../examples/etcd-repair-ends.ts';
import { startEtcdRepair, type RepairEvent } from '../examples/etcd-repair-rig.ts';
import { isBootstrapped, isWhole } from '../examples/etcd-repair-steps.ts';
import { eventually } from '../examples/eventually.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { HOOK_FAULTS, MEMBER_FAULTS, type Stage } from './etcd-faults.ts';
import { seededRandom } from './random.ts';

const plane = sharedControlPlane();
const seed = Number(process.env['CHAOS_SEED'] ?? 1);
const minutes = Number(process.env['CHAOS_MINUTES'] ?? 1);
const twin = process.env['CHAOS_TWIN'] === 'typescript' ? 'typescript' : 'shell';
const WHOLE_LIMIT_MS = 300_000;
// The more is repaired that might have come back by itself.
const HASTY = { ETCD_TIMEOUT_SECONDS: '1', REPAIR_AFTER_SECONDS: '3', REPAIR_JOIN_SECONDS: '20' };

/** What one fault came to. */
interface Round {
  readonly fault: string;
  readonly wasForGood: boolean;
  readonly seconds: number;
}

it.concurrent.each([3, 5])('a cluster of %i members survives whatever happens to it', async (replicas) => {
  const random = seededRandom(seed + replicas);
  await using rig = await startEtcdRepair({ plane, twin, replicas, settings: HASTY });
  await isBootstrapped(rig);
  await isWhole(rig);
  const oracle = new EtcdOracle(rig.etcd);
  oracle.start();
  const rounds: Round[] = [];
  const end = Date.now() + minutes * 60_000;
  // The server forgets Events after an hour.
  const told = new Map<string, RepairEvent>();
  const listen = async (): Promise<void> => {
    for (const event of await rig.events()) told.set(event.name, event);
  };
  let failure: unknown;
  try {
    while (Date.now() < end) {
      rounds.push(await round({ rig, oracle, random }));
      await listen();
    }
    await eventually(async () => {
      await listen();
      expect(untoldEnds([...told.values()])).toEqual([]);
    });
  } catch (error) {
    failure = error;
  }
  const { violations, acknowledged, refused } = await oracle.stop();
  await listen();
  const events = [...told.values()];
  const counted = (reason: string): number => events.filter((event) => event.reason === reason).length;
  const refusals = events.filter(({ type, reason }) => type === 'Warning' && reason !== 'RepairStarted');
  const seconds = rounds.filter(({ wasForGood }) => wasForGood).map((one) => one.seconds);
  console.log(
    [
      `${replicas} members, ${twin}, seed ${seed}, ${minutes} minutes`,
      `faults ${rounds.length}: ${summary(rounds.map(({ fault }) => fault))}`,
      `repairs begun ${counted('RepairStarted')}, ended ${ENDS.map((end) => `${counted(end)} ${end}`).join(', ')}`,
      `seconds from failure to whole: p50 ${quantile(seconds, 0.5)}, max ${quantile(seconds, 1)}`,
      ...timesByFault(rounds),
      `refusals ${refusals.length}: ${summary(refusals.map(({ reason }) => reason))}`,
      `writes acknowledged ${acknowledged}, refused ${refused}, lost ${violations.filter((one) => one.includes('lost')).length}`,
      ...untoldEnds(events).map((wrong) => `REPAIR ${wrong}`),
      ...violations.map((violation) => `VIOLATION ${violation}`),
    ].join('\n  '),
  );
  expect(failure).toBeUndefined();
  expect(violations).toEqual([]);
});

async function round(stage: Stage): Promise<Round> {
  const { rig, random } = stage;
  const fault = pick(MEMBER_FAULTS, random);
  const meanwhile = pick(HOOK_FAULTS, random);
  const pod = pick(rig.etcd.pods, random);
  const isLeader = (await rig.etcd.leader().catch(() => '')) === pod;
  const name = `${fault.name}${isLeader ? ' (leader)' : ''}, meanwhile ${meanwhile.name}`;
  console.log(`${new Date().toISOString().slice(11, 19)} ${rig.replicas} members: ${pod} ${name}`);
  const memberOf = async (): Promise<string | undefined> =>
    (await rig.etcd.members()).find((member) => member.name === pod)?.ID;
  const old = await eventually(memberOf);
  const startedAtMs = Date.now();
  const [seconds] = await Promise.all([
    fault.act(stage, pod).then(async () => {
      // Whole is what it also is before the failure shows.
      if (fault.isForGood) {
        await eventually(async () => expect([old, undefined]).not.toContain(await memberOf()), WHOLE_LIMIT_MS);
      }
      await isWhole(rig, WHOLE_LIMIT_MS);
      return Math.round((Date.now() - startedAtMs) / 1000);
    }),
    meanwhile.act(stage, pod),
  ]);
  await isWhole(rig, WHOLE_LIMIT_MS);
  return { fault: fault.name, wasForGood: fault.isForGood, seconds };
}

/** Of those that took a new member. */
function timesByFault(rounds: readonly Round[]): readonly string[] {
  const lasting = rounds.filter(({ wasForGood }) => wasForGood);
  return [...Map.groupBy(lasting, ({ fault }) => fault)].map(([fault, all]) => {
    const seconds = all.map((one) => one.seconds);
    return `  ${fault}: p50 ${quantile(seconds, 0.5)}, max ${quantile(seconds, 1)}`;
  });
}

function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

function summary(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].map(([name, all]) => `${all.length} ${name}`).join(', ');
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}
