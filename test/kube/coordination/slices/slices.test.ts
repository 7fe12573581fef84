import { startSandbox, type Sandbox } from '@hooklet/sandbox';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LeaseLostError } from '../../../../src/errors.ts';
import { CONFIG_MAP, LEASES, SECOND, slicesRig, TIMES, type SlicesRig } from '../../../support/slices-rig.ts';

let sandbox: Sandbox;
let rig: SlicesRig;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-01-05T03:00:00Z') });
  sandbox = await startSandbox();
  rig = slicesRig({ sandbox });
  onTestFinished(() => sandbox.close());
});
afterEach(() => {
  vi.useRealTimers();
});

describe('slices', () => {
  it('are all held at once by a member that is alone', async () => {
    const a = rig.join('a');

    expect(await rig.passUntil(rig.isAllHeld)).toBeLessThanOrEqual(200);

    expect(a.slices.owned.size).toBe(64);
    expect(a.slices.status).toMatchObject({ state: 'member', moves: [], unheld: [] });
    expect(a.slices.status).not.toHaveProperty('problem');
  });

  it('move to a newcomer one in 10 s, until both have 32 and none has moved twice', async () => {
    rig.join('a');
    await rig.passUntil(rig.isAllHeld);
    const b = rig.join('b');

    await rig.pass(100 * SECOND);
    const early = b.work().length;
    await rig.pass(260 * SECOND);

    expect(early).toBeLessThanOrEqual(10);
    expect(early).toBeGreaterThanOrEqual(7);
    expect(rig.loads()).toEqual([32, 32]);
    await rig.pass(60 * SECOND);
    expect(rig.takes()).toBe(64 + 32);
  });

  it('of a killed member are held again by 3 - 1 others within 18 s, as many by each', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((identity) => rig.join(identity));
    await rig.pass(600 * SECOND);
    expect(rig.loads()).toEqual([21, 21, 22]);

    c?.kill();
    const took = await rig.passUntil(rig.isAllHeld);
    console.log('KILL', took);

    expect(took).toBeLessThanOrEqual(18 * SECOND);
    expect(rig.loads()).toEqual([32, 32]);
    void [a, b];
  });
});
void [CONFIG_MAP, LEASES, TIMES, LeaseLostError];
