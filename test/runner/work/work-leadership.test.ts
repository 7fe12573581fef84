import { describe, expect, it } from 'vitest';
import { statusOf, pass, workHook, workRig } from '../../support/work-executor-rig.ts';
import { never } from '../../support/hook-rig.ts';

const hello = { pool: 'default', hooks: 'A', capacity: 1, version: '1' };
const caller = { namespace: 'n', account: 'a', pod: 'p', podUid: 'u' };
const ticket = { worker: 'w1', caller, runId: 'r', epoch: 1 };

describe('a replica that does not lead', () => {
  it('answers everything with 503', async () => {
    const { desk } = workRig({ leads: false });
    const waiting = { waitMs: 1000, signal: never };

    const answers = [
      desk.hello(hello, caller),
      desk.beat(ticket, []),
      await desk.ends(ticket, waiting),
      await desk.claim(ticket, 1, waiting),
      desk.holds(ticket),
      desk.contexts(ticket),
      desk.output(ticket, []),
      desk.result(ticket, { type: 'unreadable', message: '' }),
      desk.leave(ticket),
    ];
    expect(answers.map(statusOf)).toEqual(answers.map(() => 503));
  });

  it('has executions wait until it leads', async () => {
    const { run, begin, worker, end } = workRig({ leads: false });
    run();
    await pass(60_000);
    const ended = begin();
    const a = worker();

    expect(await a.take()).toHaveLength(1);
    a.leave();
    end();
    await ended;
  });

  it('does not execute a run whose caller waits', async () => {
    const { run } = workRig({ leads: false });

    expect((await run(workHook(), { isAsked: true }).execution).type).toBe('failed');
  });
});

describe('a new leader', () => {
  it('hands nothing out for 15 s, and lets nobody go that prepares runs', async () => {
    const { run, worker, executor } = workRig({ isClean: () => false });
    run();
    const a = worker({ capacity: 2 });
    let isLetGo = false;
    const room = executor.room(workHook(), never).then(() => (isLetGo = true));
    await pass(10_000);
    a.beat();
    const claim = a.claim(2, 30_000);
    await pass(4999);
    const before = [executor.pools()[0]?.held, isLetGo];
    await pass(1);

    expect(before).toEqual([0, false]);
    expect(await claim).toMatchObject({ type: 'ok', value: [{ epoch: 1 }] });
    await room;
  });

  it('hands out at once where the former one released its Lease cleanly', async () => {
    const { run, worker } = workRig({ isClean: () => true });
    run();

    expect(await worker().take()).toHaveLength(1);
  });
});

describe('a replica that leads no more', () => {
  it('ends runs that no worker has, and those of workers 15 s after their last beat', async () => {
    const { run, worker, end, ended, executor } = workRig();
    const [held, waiting] = [run(), run()];
    const a = worker();
    const [taken] = await a.take();
    await pass(5000);
    if (taken !== undefined) a.beat(taken);
    const claim = a.claim(1, 30_000);
    const room = executor.room(workHook(), never);
    let isOver = false;
    const over = ended?.then(() => (isOver = true));
    end();
    await pass(0);
    const answers = [statusOf(await claim), a.toEnd()];
    const first = [held.told, waiting.told];
    await pass(14_999);
    const before = [held.told, isOver];
    await pass(1);

    expect(answers).toEqual([503, 503]);
    expect(first).toEqual(['not ended', expect.stringContaining('this replica does not lead any more')]);
    expect(before).toEqual(['not ended', false]);
    expect(held.ended).toMatchObject({ type: 'failed', by: 'environment', isCutOff: true });
    await over;
    await room;
  });

  it('executes nothing', async () => {
    const { run, end, executor } = workRig();
    end();
    await pass(0);

    expect((await run().execution).type).toBe('failed');
    await executor.room(workHook(), never);
  });
});

describe('a folder of hooks that cannot be read', () => {
  it('is a problem until it can, and hands nothing out', async () => {
    const state = { isBroken: true };
    const { run, worker, executor } = workRig({
      digest: async () => {
        if (state.isBroken) throw new Error('the hooks have no digest');
        return 'A';
      },
    });
    run();
    const a = worker();
    const before = [(await a.take()).length, executor.problem];
    state.isBroken = false;
    a.beat();
    const after = (await a.take()).length;

    expect(before).toEqual([0, 'the hooks have no digest']);
    expect([after, executor.problem]).toEqual([1, undefined]);
  });
});
