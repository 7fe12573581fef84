import { describe, expect, it } from 'vitest';
import { INLINE_CONTEXT_BYTES } from '../../../src/hook/work-desk.ts';
import { exited, pass, statusOf, takenOf, workHook, workRig } from '../../support/work-executor-rig.ts';

describe('a run', () => {
  it('goes to a worker with its contexts, its environment and its rules, and ends with its result', async () => {
    const { run, worker } = workRig({ plainExitCodes: true, backgroundLimitMs: 7 });
    const one = run(workHook('light.sh', { timeoutMs: 9000, outcome: { later: [3] } }), {
      env: { A: 'b' },
      attempt: 2,
      traceparent: 't',
    });
    const a = worker();
    const [taken] = await a.take();

    expect(taken?.handed).toEqual({
      epoch: 1,
      env: { A: 'b' },
      contexts: [Buffer.from('[{"binding":"a"}]')],
      run: {
        runId: one.runId,
        attempt: 2,
        hook: 'light.sh',
        hookHash: 'hash',
        type: 'process',
        plainExitCodes: true,
        backgroundLimitMs: 7,
        timeoutMs: 9000,
        outcome: { later: [3] },
        traceparent: 't',
        contextBytes: 17,
      },
    });
    expect(taken && a.result(taken, exited({ patch: 'p' }))).toBe('ok');
    expect(await one.execution).toMatchObject({ type: 'exited', outputs: { patch: 'p' }, cost: { durationMs: 5 } });
  });

  it('with contexts of more than 256 KiB has them asked for', async () => {
    const { run, worker, desk } = workRig();
    const contexts = [Buffer.alloc(256 * 1024), Buffer.from('x')];
    run(workHook(), { contexts });
    const a = worker();
    const [taken] = await a.take();

    expect(INLINE_CONTEXT_BYTES).toBe(256 * 1024);
    expect(taken?.handed.contexts).toBeUndefined();
    expect(taken && desk.contexts(a.of(taken))).toEqual({ type: 'ok', value: contexts });
  });

  it('goes to a worker of its pool alone', async () => {
    const { run, worker } = workRig();
    run(workHook('a.sh', {}, 'big'));
    const [a, b] = [worker(), worker({ pool: 'big' })];

    expect([(await a.take()).length, (await b.take()).length]).toEqual([0, 1]);
  });

  it('goes to no worker with other hooks, until the hooks of the operator are those', async () => {
    const { run, worker, digest, executor } = workRig();
    run();
    const a = worker({ hooks: 'B' });
    const before = await a.take();
    const views = executor.pools();
    digest.is = 'B';
    a.beat();

    expect(before).toEqual([]);
    expect(views).toEqual([{ name: 'default', workers: 0, outdated: 1, capacity: 0, held: 0, waiting: 1 }]);
    expect(await a.take()).toHaveLength(1);
  });

  it('wakes a worker that waits, and no more go to it than it asks for, or can have', async () => {
    const { run, worker } = workRig();
    const a = worker({ capacity: 2 });
    const claim = a.claim(9, 30_000);
    await pass(10_000);
    const runs = [run(), run(), run()];
    await pass(0);
    const answer = await claim;
    const further = await a.take(9);

    const taken = answer.type === 'ok' ? answer.value : [];
    expect(taken.map((one) => one.run.runId)).toEqual([runs[0]?.runId]);
    expect(further.map(({ runId }) => runId)).toEqual([runs[1]?.runId]);
    expect(await a.take(9)).toEqual([]);
  });

  it('tells what it prints, up to the limit of a local run', async () => {
    const { run, worker } = workRig();
    const one = run();
    const a = worker();
    const [taken] = await a.take();
    if (taken === undefined) throw new Error('no run');
    a.output(taken, 'hello', 'x'.repeat(2 * 1024 * 1024));
    a.result(taken);
    await one.execution;

    expect(one.lines[0]).toBe('stdout hello');
    expect(one.lines).toHaveLength(2);
    expect(one.lines[1]).toContain('the output limit of a run was reached');
  });

  it('takes its result once, the same one again, and none with another epoch', async () => {
    const { run, worker, desk } = workRig();
    const one = run();
    const a = worker();
    const [taken] = await a.take();
    if (taken === undefined) throw new Error('no run');
    const other = { runId: taken.runId, epoch: 2 };

    expect([a.result(other), a.output(other), statusOf(desk.contexts(a.of(other)))]).toEqual([409, 409, 409]);
    expect([a.result(taken), a.result(taken), statusOf(desk.holds(a.of(taken)))]).toEqual(['ok', 'ok', 'ok']);
    expect([a.result(other), a.output(taken)]).toEqual([409, 410]);
    expect((await one.execution).type).toBe('exited');
  });

  it('of a worker is none of another one, nor of another Pod', async () => {
    const { run, worker, desk } = workRig();
    run();
    const [a, b] = [worker(), worker()];
    const [taken] = await a.take();
    if (taken === undefined) throw new Error('no run');

    expect([b.result(taken), b.output(taken), statusOf(desk.contexts(b.of(taken)))]).toEqual([409, 409, 409]);
    expect(statusOf(desk.beat({ worker: a.worker, caller: b.caller }, []))).toBe(403);
    expect(b.toEnd(taken)).toMatchObject([{ runId: taken.runId, epoch: 1, isOver: true }]);
    expect(a.toEnd(taken)).toEqual([]);
  });

  it('is not executed where the file of its hook cannot be read', async () => {
    const { run } = workRig({
      hashOf: async () => {
        throw new Error('ENOENT');
      },
    });

    const execution = await run().execution;

    expect(execution).toMatchObject({ type: 'failed', by: 'environment' });
  });
});

describe('a worker that falls silent', () => {
  it('for 15 s is lost, and its run goes to another with the next epoch, within the same execution', async () => {
    const { run, worker, metrics } = workRig();
    const one = run();
    const a = worker();
    const [first] = await a.take();
    const b = worker();
    await pass(10_000);
    b.beat();
    const claim = b.claim(1, 30_000);
    await pass(4999);
    const before = statusOf(a.beat(first ?? { runId: '', epoch: 1 }));
    await pass(7000);
    b.beat();
    await pass(7999);
    const late = one.told;
    await pass(1);
    const answer = await claim;

    expect([before, late]).toEqual(['ok', 'not ended']);
    const [second] = answer.type === 'ok' ? answer.value.map(takenOf) : [];
    expect(second).toMatchObject({ runId: one.runId, epoch: 2 });
    expect(first && a.result(first)).toBe(404);
    expect(metrics.runsLost.of({ hook: 'light.sh' }).value).toBe(1);
    if (second !== undefined) b.result(second);
    expect((await one.execution).type).toBe('exited');
  });

  it('is lost by its next request when the timer is late', async () => {
    const clock = { ms: 0 };
    const { run, worker } = workRig({ elapsed: () => clock.ms });
    run();
    const a = worker();
    const [taken] = await a.take();
    clock.ms = 15_000;

    expect(taken && a.toEnd(taken)).toBe(404);
  });

  it('loses a run: with 3 workers in turn it fails, and says that it may kill them', async () => {
    const { run, worker } = workRig();
    const one = run();
    for (let turn = 1; turn <= 3; turn += 1) {
      expect(one.told).toBe('not ended');
      const [taken] = await worker().take();
      expect(taken?.epoch).toBe(turn);
      await pass(15_000);
    }

    expect(one.ended).toMatchObject({ type: 'failed', by: 'environment', isCutOff: true });
    expect(one.told).toContain('3 workers in turn were lost, or dropped it');
    expect(one.told).toContain('it may kill its workers, as by using more memory than they have');
  });

  it('keeps the place of its runs before those that were requested later', async () => {
    const { run, worker } = workRig();
    const first = run();
    const [taken] = await worker().take();
    run();
    await pass(15_000);

    expect(taken?.runId).toBe(first.runId);
    expect((await worker().take()).map(({ runId }) => runId)).toEqual([first.runId]);
  });
});

describe('a run that was handed out', () => {
  it('and is not named in a beat more than 5 s later was lost on its way: it is handed out again at once', async () => {
    const { run, worker, metrics } = workRig();
    const one = run();
    const a = worker();
    const [first] = await a.take();
    await pass(5000);
    const early = a.toEnd();
    await pass(1);
    const late = a.toEnd();
    const [second] = await a.take();

    expect(early).toEqual([]);
    expect(late).toMatchObject([{ runId: one.runId, epoch: 1, isOver: true }]);
    expect(second).toMatchObject({ runId: one.runId, epoch: 2 });
    expect(first && a.output(first)).toBe(409);
    expect(metrics.runsLost.of({ hook: 'light.sh' }).value).toBe(0);
  });

  it('counts as lost when its worker has named it, and does not any more', async () => {
    const { run, worker, metrics } = workRig();
    run();
    const a = worker();
    const [first] = await a.take();
    if (first === undefined) throw new Error('no run');
    await pass(5000);
    a.beat(first);
    await pass(5001);
    a.beat();

    expect(metrics.runsLost.of({ hook: 'light.sh' }).value).toBe(1);
    expect((await a.take()).map(({ epoch }) => epoch)).toEqual([2]);
  });

  it('is not lost by a beat where its worker has said otherwise that it has it', async () => {
    const { run, worker } = workRig();
    run();
    const a = worker();
    const [first] = await a.take();
    if (first === undefined) throw new Error('no run');
    await pass(4000);
    expect(a.output(first)).toBe('ok');
    await pass(2000);

    expect(a.toEnd()).toEqual([]);
    expect(a.result(first)).toBe('ok');
  });

  it('is not that of an epoch of the future, which is to be ended', async () => {
    const { run, worker } = workRig();
    run();
    const a = worker();
    const [first] = await a.take();
    if (first === undefined) throw new Error('no run');

    expect(a.toEnd({ ...first, epoch: 7 }, first)).toMatchObject([{ epoch: 7, isOver: true }]);
    expect(a.result({ ...first, epoch: 7 })).toBe(409);
  });

  it('is handed out again at once when its worker leaves', async () => {
    const { run, worker } = workRig();
    const one = run();
    const a = worker();
    await a.take();

    expect(a.leave()).toBe('ok');
    expect((await worker().take()).map(({ runId, epoch }) => [runId, epoch])).toEqual([[one.runId, 2]]);
    expect(a.toEnd()).toBe(404);
  });
});

describe('a worker whose Pod says hello again', () => {
  it('is known no more, and its run goes to no other before 15 s of its silence have passed', async () => {
    const { run, worker } = workRig();
    const one = run();
    const a = worker({}, 'uid');
    const [first] = await a.take();
    await pass(3000);
    if (first !== undefined) a.beat(first);
    const b = worker({}, 'uid');
    await pass(10_000);
    b.beat();
    await pass(4999);

    expect(a.toEnd()).toBe(404);
    expect(await b.take()).toEqual([]);
    await pass(1);
    expect((await b.take()).map(({ runId, epoch }) => [runId, epoch])).toEqual([[one.runId, 2]]);
  });

  it('may say that it has left, and then its run goes to another at once', async () => {
    const { run, worker } = workRig();
    run();
    const a = worker({}, 'uid');
    await a.take();
    const b = worker({}, 'uid');

    expect([a.leave(), (await b.take()).length]).toEqual(['ok', 1]);
  });
});

describe('hello', () => {
  it('is refused with 403 for a Pod that may not work, and for a pool or a capacity that cannot be', () => {
    const { desk } = workRig({ explainRefusal: ({ account }) => (account === 'evil' ? 'not you' : undefined) });
    const caller = { namespace: 'n', account: 'hooklet-workers', pod: 'p', podUid: 'u' };
    const hello = { pool: 'default', hooks: 'A', capacity: 1, version: '1' };

    expect(desk.hello(hello, { ...caller, account: 'evil' })).toMatchObject({ status: 403, message: 'not you' });
    expect(statusOf(desk.hello({ ...hello, pool: 'A b' }, caller))).toBe(403);
    expect(statusOf(desk.hello({ ...hello, capacity: 257 }, caller))).toBe(403);
    expect(desk.hello(hello, caller)).toEqual({ type: 'ok', value: { worker: 'w1', beatMs: 5000, silenceMs: 15_000 } });
  });

  it('is refused with 503 by a replica with 2000 workers', () => {
    const { worker, desk } = workRig();
    for (let count = 0; count < 2000; count += 1) worker();

    const answer = desk.hello(
      { pool: 'default', hooks: 'A', capacity: 1, version: '1' },
      { namespace: 'n', account: 'a', pod: 'p', podUid: 'u' },
    );
    expect(statusOf(answer)).toBe(503);
  });

  it('again and again from one Pod leaves one worker', () => {
    const { worker, executor } = workRig();
    for (let count = 0; count < 2001; count += 1) worker({}, 'uid');

    expect(executor.pools()).toMatchObject([{ name: 'default', outdated: 1 }]);
  });
});

describe('a request for runs', () => {
  it('is answered with none after its time, and when another comes', async () => {
    const { worker } = workRig();
    const a = worker();
    const [first, second] = [a.claim(1, 30_000), a.claim(1, 10_000)];

    expect(await first).toEqual({ type: 'ok', value: [] });
    await pass(10_000);
    expect(await second).toEqual({ type: 'ok', value: [] });
  });

  it('whose worker waits no more gets no run', async () => {
    const { worker, run, executor } = workRig();
    const a = worker();
    const gone = new AbortController();
    const claim = a.claim(1, 30_000, gone);
    gone.abort();
    run();
    await pass(0);

    expect(await claim).toEqual({ type: 'ok', value: [] });
    expect(executor.pools()).toMatchObject([{ held: 0, waiting: 1 }]);
  });

  it('of a worker that is full, or asks for none, is held', async () => {
    const { worker, run } = workRig();
    const a = worker();
    run();
    const [taken] = await a.take();
    run();
    const claim = a.claim(1, 30_000);
    await pass(0);
    if (taken !== undefined) a.result(taken);

    expect(await claim).toMatchObject({ type: 'ok', value: [{ epoch: 1 }] });
    expect(await a.take(0)).toEqual([]);
  });
});

describe('metrics', () => {
  it('say how many runs wait, how many workers there are, how busy they are, and how long runs wait', async () => {
    const { run, worker, metrics, executor } = workRig();
    run();
    await pass(2000);
    const a = worker({ capacity: 2 });
    worker({ hooks: 'B' });
    await a.take();
    run();
    const gone = new AbortController();
    const room = executor.room(workHook('a.sh', {}, 'empty'), gone.signal).catch(() => {});
    await pass(0);
    const text = metrics.text();
    gone.abort();
    await room;

    expect(text).toContain('runs_waiting{pool="default"} 1');
    expect(text).toContain('runs_waiting{pool="empty"} 1');
    expect(text).toContain('\nworkers{pool="default"} 1');
    expect(text).toContain('workers_outdated{pool="default"} 1');
    expect(text).toContain('workers_busy_ratio{pool="default"} 0.5');
    expect(text).toContain('run_handover_seconds_sum{pool="default"} 2\n');
  });

  it('of a pool that is gone are 0', async () => {
    const { run, metrics } = workRig();
    const one = run();
    await pass(0);
    metrics.text();
    one.stop();
    await one.execution;

    expect(metrics.text()).toContain('runs_waiting{pool="default"} 0');
  });
});

describe('onNoWorkers', () => {
  it('is called once when runs wait for 60 s without a worker that has the hooks, and again after one came', async () => {
    const { run, worker, outages } = workRig();
    const old = worker({ hooks: 'B' });
    run();
    run();
    const beats = async (count: number): Promise<void> => {
      for (let beat = 0; beat < count; beat += 1) {
        await pass(5000);
        old.beat();
      }
    };
    await beats(11);
    await pass(4999);
    const before = outages.length;
    await pass(1);
    old.beat();
    await beats(24);
    const once = [...outages];
    worker();
    await pass(15_000);
    await pass(60_000);

    expect(before).toBe(0);
    expect(once).toEqual([{ pool: 'default', waiting: 2, outdated: 1 }]);
    expect(outages).toHaveLength(2);
  });

  it('is not called where nothing waits any more', async () => {
    const { run, outages } = workRig();
    const one = run();
    await pass(59_000);
    one.stop();
    await pass(60_000);

    expect(outages).toEqual([]);
  });
});

describe('an id', () => {
  it('of a run that has not ended is refused, and one that has goes on with the next epoch', async () => {
    const { run, worker } = workRig();
    const first = run(workHook(), { runId: 'same' });
    const a = worker();
    const [taken] = await a.take();
    const second = run(workHook(), { runId: 'same' });
    await pass(0);
    if (taken !== undefined) a.result(taken);
    await first.execution;
    run(workHook(), { runId: 'same' });

    expect(second.told).toContain('a run with its id same has not ended');
    expect((await a.take()).map(({ epoch }) => epoch)).toEqual([2]);
  });
});
