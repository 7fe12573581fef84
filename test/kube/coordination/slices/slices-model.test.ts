import { startSandbox, type Sandbox } from '@hooklet/sandbox';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { CONFIG_MAP, LEASES, SECOND, slicesRig, type SlicesRig } from '../../../support/slices-rig.ts';

let sandbox: Sandbox;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-05T03:00:00Z') });
  sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
});
afterEach(() => {
  vi.useRealTimers();
});

const MOST = 6;

/** What may happen to members, and to what they share. */
type Fault = (world: World) => Promise<void> | void;

interface World {
  readonly rig: SlicesRig;
  readonly random: () => number;
  readonly below: (limit: number) => number;
  readonly victim: () => SlicesRig['members'][number] | undefined;
  joined: number;
}

const join: Fault = (world) => {
  if (world.rig.alive().length >= MOST) return;
  world.joined += 1;
  world.rig.join(`m${world.joined}`);
};
const leave: Fault = ({ victim }) => victim()?.leave();
const kill: Fault = ({ victim }) => victim()?.kill();
const standStill: Fault = ({ victim, below }) => {
  const one = victim();
  one?.stop();
  setTimeout(() => one?.wake(), below(40) * SECOND);
};
const link =
  (what: 'down' | 'lost', limit: number): Fault =>
  ({ victim, below }) => {
    const one = victim();
    if (one === undefined) return;
    one.client.link = what;
    setTimeout(() => (one.client.link = 'up'), below(limit) * SECOND);
  };
const deleteAssignment: Fault = async () => void (await sandbox.call('DELETE', CONFIG_MAP));
const breakAssignment: Fault = async ({ below }) => {
  const texts = ['', '{', '{"version":1,"hash":"mixed","moves":0,"slices":[]}', 'x'.repeat(200_000)];
  await edit(texts[below(texts.length)] ?? '');
};
const editAssignment: Fault = async ({ rig, below }) => {
  const names = ['', 'nobody', ...rig.members.map(({ identity }) => identity)];
  const slices = Array.from({ length: 64 }, () => ({ holder: names[below(names.length)] }));
  await edit(JSON.stringify({ version: 1, hash: 'mixed', moves: below(100), slices }));
};
const deleteLease: Fault = async ({ below }) => {
  const { body } = await sandbox.call('GET', LEASES);
  const items = (body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] }).items;
  const one = items[below(items.length)];
  if (one !== undefined) await sandbox.call('DELETE', `${LEASES}/${one.metadata.name}`);
};

async function edit(text: string): Promise<void> {
  await sandbox.call('PATCH', CONFIG_MAP, { data: { 'slices.json': text } }, 'application/merge-patch+json');
}

const FAULTS = [join, join, join, leave, kill, standStill, link('down', 20), link('lost', 8)];
const EDITS = [deleteAssignment, breakAssignment, editAssignment];

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('slices under faults', () => {
  it.each([
    { seed: 1, faults: FAULTS },
    { seed: 2, faults: FAULTS },
    { seed: 3, faults: FAULTS },
    { seed: 4, faults: [...FAULTS, ...EDITS] },
    { seed: 5, faults: [...FAULTS, ...EDITS] },
    { seed: 6, faults: [...FAULTS, ...EDITS] },
    { seed: 7, faults: [...FAULTS, deleteLease] },
    { seed: 8, faults: [...FAULTS, deleteLease] },
  ])(
    'are never worked on by two of 1 to 6 members, and all held within 40 s of the last of 60 faults (seed $seed)',
    { timeout: 120_000 },
    async ({ seed, faults }) => {
      const random = numbers(seed * 7919);
      const below = (limit: number): number => Math.floor(random() * limit);
      let isCalm = false;
      const rig = slicesRig({
        sandbox,
        random,
        moveEveryMs: 2 * SECOND,
        giveTakesMs: () => (!isCalm && random() < 0.1 ? 60 * SECOND : below(3000)),
        delayMs: () => (!isCalm && random() < 0.03 ? below(9000) : below(100)),
      });
      const victim = (): SlicesRig['members'][number] | undefined => rig.alive()[below(rig.alive().length)];
      const world = { rig, random, below, victim, joined: 0 };
      for (let round = 0; round < 60; round += 1) {
        if (rig.alive().length === 0) await join(world);
        await faults[below(faults.length)]?.(world);
        await rig.pass(below(12) * SECOND);
      }
      isCalm = true;
      await rig.pass(10 * SECOND);
      for (const one of rig.members) {
        one.wake();
        one.client.link = 'up';
      }
      // The last one may end when it goes on, since it stood still for too long.
      await rig.pass(SECOND);
      if (rig.alive().length === 0) await join(world);

      expect(await rig.passUntil(rig.isAllHeld, 40_000)).toBeLessThanOrEqual(40_000);
      expect(rig.isAllHeld()).toBe(true);
      const spread = (): number => (rig.loads().at(-1) ?? 0) - (rig.loads()[0] ?? 0);
      await rig.passUntil(() => spread() <= 1, 600 * SECOND);
      expect(spread()).toBeLessThanOrEqual(1);
      await rig.pass(60 * SECOND);

      expect(rig.isAllHeld()).toBe(true);
      expect(rig.takes()).toBeGreaterThan(200);
    },
  );
});
