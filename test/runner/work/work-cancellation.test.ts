import { describe, expect, it } from 'vitest';
import { exited, pass, workHook, workRig, type TakenRun, type WorkRig } from '../../support/work-executor-rig.ts';

/** A run that a worker has said to have. */
async function begun({ run, worker }: WorkRig, hook = workHook()) {
  const one = run(hook);
  const a = worker();
  const [taken] = await a.take();
  if (taken === undefined) throw new Error('no run');
  a.beat(taken);
  return { one, a, taken };
}

/** Lets time pass in which a worker beats. */
async function beating(ms: number, a: { readonly beat: (...held: TakenRun[]) => unknown }, taken: TakenRun) {
  for (let left = ms; left > 0; left -= 5000) {
    await pass(Math.min(5000, left));
    a.beat(taken);
  }
}

describe('a run that is stopped', () => {
  it('and that no worker has ends at once, and is not handed out', async () => {
    const { run, worker } = workRig();
    const one = run();
    await pass(0);
    one.stop();
    const execution = await one.execution;

    expect(execution).toMatchObject({ type: 'failed', by: 'environment' });
    expect(one.told).toContain('it was ended: a newer run replaces it');
    expect(await worker().take()).toEqual([]);
  });

  it('is told to its worker at once, by what waits for it and by beats, and ends with its result', async () => {
    const rig = workRig();
    const { one, a, taken } = await begun(rig);
    const ends = a.ends(30_000);
    await pass(4000);
    one.stop();
    const told = await ends;
    const order = { runId: one.runId, epoch: 1, why: 'it was ended: a newer run replaces it', isOver: false };

    expect(told).toEqual({ type: 'ok', value: [order] });
    expect(a.toEnd(taken)).toEqual([order]);
    const again = a.ends(1000);
    await pass(1000);
    expect(await again).toEqual({ type: 'ok', value: [] });
    expect(one.told).toBe('not ended');
    expect(a.result(taken, exited({ patch: 'p' }))).toBe('ok');
    expect(await one.execution).toMatchObject({ type: 'exited', outputs: { patch: 'p' } });
  });

  it('before its worker waits for it is told as soon as that does', async () => {
    const rig = workRig();
    const { one, a } = await begun(rig);
    one.stop();

    expect(await a.ends(30_000)).toMatchObject({ type: 'ok', value: [{ runId: one.runId }] });
  });

  it('ends when its worker does not name it for longer than 5 s, and goes to no other', async () => {
    const rig = workRig();
    const { one, a } = await begun(rig);
    one.stop();
    await pass(5000);
    a.beat();
    await pass(0);
    const before = one.told;
    await pass(1);
    a.beat();
    await pass(0);

    expect(before).toBe('not ended');
    expect(one.ended).toMatchObject({ type: 'failed', by: 'hook', isCutOff: true });
    expect(one.told).toBe('hook: hook light.sh failed: it was ended: a newer run replaces it');
    expect(await a.take()).toEqual([]);
  });

  it('ends when its worker leaves', async () => {
    const rig = workRig();
    const { one, a } = await begun(rig);
    one.stop();
    a.leave();
    await pass(0);

    expect(one.told).toContain('it was ended: a newer run replaces it');
  });

  it('ends when its worker was silent for 15 s, not before', async () => {
    const rig = workRig();
    const { one } = await begun(rig);
    one.stop();
    await pass(14_999);
    const before = one.told;
    await pass(1);

    expect(before).toBe('not ended');
    expect(one.told).toContain('it was ended');
  });

  it('by a worker that does not obey for 30 s has it expelled, and ends 15 s after its last beat', async () => {
    const rig = workRig();
    const { one, a, taken } = await begun(rig);
    one.stop();
    await beating(25_000, a, taken);
    await pass(4000);
    const last = a.toEnd(taken);
    await pass(1000);
    const expelled = [a.toEnd(taken), a.result(taken), a.output(taken)];
    await pass(13_999);
    const before = one.told;
    await pass(1);

    expect(last).toHaveLength(1);
    expect(expelled).toEqual([404, 404, 404]);
    expect(before).toBe('not ended');
    expect(one.told).toContain('it was ended: a newer run replaces it');
  });

  it('has the other runs of the worker that is expelled handed out again, once they have ended', async () => {
    const rig = workRig();
    const one = rig.run();
    const other = rig.run();
    await pass(0);
    const a = rig.worker({ capacity: 2 });
    const taken = await a.take();
    one.stop();
    for (let beat = 0; beat < 6; beat += 1) {
      await pass(5000);
      a.beat(...taken);
    }
    const b = rig.worker();
    const early = await b.take();
    await pass(10_000);
    b.beat();
    await pass(4000);
    b.beat();
    await pass(2000);

    expect(early).toEqual([]);
    expect((await b.take()).map(({ runId, epoch }) => [runId, epoch])).toEqual([[other.runId, 2]]);
  });

  it('before it is handed to a worker that claims later is not handed out', async () => {
    const { run, worker } = workRig({ hashOf: async () => 'hash' });
    const one = run();
    one.stop('stop');

    expect(await worker().take()).toEqual([]);
    expect((await one.execution).type).toBe('failed');
  });
});

describe('a run with a time limit', () => {
  it('of 10 s is to be ended 60 s after that, and its result is believed', async () => {
    const rig = workRig();
    const { one, a, taken } = await begun(rig, workHook('light.sh', { timeoutMs: 10_000 }));
    await beating(65_000, a, taken);
    await pass(4999);
    const before = a.toEnd(taken);
    await pass(1);

    expect(before).toEqual([]);
    expect(a.toEnd(taken)).toMatchObject([{ isOver: false, why: expect.stringContaining('time limit of 10s') }]);
    a.result(taken);
    expect((await one.execution).type).toBe('exited');
  });

  it('whose worker does not end it has timed out', async () => {
    const rig = workRig();
    const { one, a, taken } = await begun(rig, workHook('light.sh', { timeoutMs: 10_000 }));
    await beating(100_000, a, taken);
    await pass(15_000);

    expect(one.ended).toMatchObject({
      type: 'failed',
      by: 'hook',
      isCutOff: true,
      error: { ending: { timedOut: true } },
    });
  });

  it('counts from when it was handed out', async () => {
    const rig = workRig();
    const one = rig.run(workHook('light.sh', { timeoutMs: 10_000 }));
    await pass(100_000);
    const a = rig.worker();
    const [taken] = await a.take();
    if (taken === undefined) throw new Error('no run');
    await beating(65_000, a, taken);

    expect(a.toEnd(taken)).toEqual([]);
    expect(one.told).toBe('not ended');
  });
});
