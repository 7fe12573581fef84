import { beforeEach, describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { FREE_WRITES, Flips, MAX_DELAY_MS, type Flip } from '../../../src/effects/children/flips.ts';
import { map, sandboxClient, startChildrenRig, type ChildrenRig } from '../../support/children-rig.ts';

const PATH = '/api/v1/namespaces/default/configmaps/a';

let rig: ChildrenRig;
let nowMs: number;
let flips: Flips;

beforeEach(async () => {
  rig = await startChildrenRig(sandboxClient(await sandboxForTest()), 'default');
  nowMs = 0;
  flips = new Flips(() => nowMs);
});

async function write(value: string): Promise<Flip | undefined> {
  nowMs += 100;
  const { applied } = await rig.reach([map('a', { time: value, same: '1' })]);
  return applied.map((one) => flips.note(one)).find((flip) => flip !== undefined);
}

describe('a hook that is brought back by its own writes', () => {
  it('is free 10 times, and is then named with the fields that flip', async () => {
    for (let round = 0; round < FREE_WRITES; round += 1) expect(await write(String(round))).toBeUndefined();

    expect(await write('next')).toEqual({
      child: 'v1/ConfigMap/default/a',
      writes: 11,
      fields: ['data.time'],
      delayMs: 100,
    });
    expect(FREE_WRITES).toBe(10);
  });

  it('is told which fields somebody else changes back', async () => {
    let flip: Flip | undefined;
    for (let round = 0; round <= FREE_WRITES; round += 1) {
      flip = await write('mine');
      const body = JSON.stringify({ data: { time: `theirs ${round}` } });
      await rig.send({ method: 'PATCH', path: PATH, body, contentType: 'application/merge-patch+json' });
    }

    expect(flip).toMatchObject({ fields: ['data.time'] });
  });

  it('is slowed down more and more, up to 30 s', async () => {
    const delays: number[] = [];
    for (let round = 0; round < 22; round += 1) {
      const flip = await write(String(round));
      nowMs += flip?.delayMs ?? 0;
      delays.push(flip?.delayMs ?? 0);
    }

    expect(delays.slice(FREE_WRITES, FREE_WRITES + 4)).toEqual([100, 200, 400, 800]);
    expect(delays.at(-1)).toBe(MAX_DELAY_MS);
    expect(MAX_DELAY_MS).toBe(30_000);
  });

  it('is forgiven when it has rested', async () => {
    for (let round = 0; round <= FREE_WRITES; round += 1) await write(String(round));
    nowMs += 60_000;

    expect(await write('rested')).toBeUndefined();
  });
});
