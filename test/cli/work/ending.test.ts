import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunning, openOperator, SHELL, workerRig, type FakeOperator } from '../../support/worker-rig.ts';

const TICKS = `${SHELL}trap 'echo bye; exit 4' TERM; echo "$$"; while :; do sleep 0.02; done\n`;
const DEAF = `${SHELL}trap '' TERM; echo "$$"; while :; do sleep 0.02; done\n`;
const WAITS = `${SHELL}echo "$$"; while [ ! -e "$GO/go" ]; do sleep 0.02; done; echo patch > "$KUBERNETES_PATCH_PATH"\n`;
const SLOW = { timeout: 20_000 };

/** Waits for a hook that prints its process id first. */
async function pidOf(operator: FakeOperator, runId: string): Promise<number> {
  await expect.poll(() => operator.of(runId).lines, SLOW).not.toEqual([]);
  return Number(operator.of(runId).lines[0]?.line);
}

/** A worker with one run, whose hook runs. */
async function running(script: string, options: Parameters<typeof openOperator>[0] = {}, drainLimitMs = 0) {
  const rig = workerRig({ 'hook.sh': script });
  const operator = await openOperator({ beatMs: 50, ...options });
  const worker = rig.work(operator.url, { drainLimitMs });
  operator.hand(rig.runOf('r1', 'hook.sh'));
  return { rig, operator, worker, pid: await pidOf(operator, 'r1') };
}

describe('a worker that is told to end a run', () => {
  it('ends it at once by the request for runs to end, and sends its result with why', async () => {
    const { operator, pid } = await running(TICKS, { beatMs: 5000 });
    operator.end({ runId: 'r1', epoch: 1, why: 'a newer run is there', isOver: false });

    await expect
      .poll(() => operator.of('r1').results, SLOW)
      .toMatchObject([{ type: 'failed', isCutOff: true, message: expect.stringContaining('a newer run is there') }]);
    expect(isRunning(pid)).toBe(false);
    expect(operator.of('r1').lines.map(({ line }) => line)).toContain('bye');
  });

  it('ends it by the answer to a beat, and sends no result of what is over', async () => {
    const { operator, pid, worker } = await running(TICKS);
    operator.endsByBeat = [{ runId: 'r1', epoch: 1, why: 'it is elsewhere', isOver: true }];

    await expect.poll(() => operator.beats.at(-1), SLOW).toEqual([]);
    expect(isRunning(pid)).toBe(false);
    expect(operator.happened).not.toContain('result r1');
    expect(worker.log.lines).toContainEqual({
      level: 'warn',
      message: 'run is not run here any more',
      fields: expect.objectContaining({ run: 'r1', outcome: 'lost', reason: 'it is elsewhere' }),
    });
  });

  it('leaves a run alone whose epoch is another', async () => {
    const { rig, operator } = await running(WAITS);
    operator.endsByBeat = [{ runId: 'r1', epoch: 2, why: 'it is elsewhere', isOver: true }];
    operator.end({ runId: 'r1', epoch: 2, why: 'it is elsewhere', isOver: true });
    const before = operator.beats.length;
    await expect.poll(() => operator.beats.length, SLOW).toBeGreaterThan(before + 2);
    rig.letGo('go');

    await expect.poll(() => operator.of('r1').results, SLOW).toMatchObject([{ type: 'exited' }]);
  });

  it('ends the hook of an epoch before it begins that of the next', async () => {
    const script = `${SHELL}trap 'sleep 0.3; exit 4' TERM; mkdir "$GO/one" || touch "$GO/two"; trap 'sleep 0.3; rmdir "$GO/one"; exit 4' TERM; echo $$; while [ ! -e "$GO/go" ]; do sleep 0.02; done\n`;
    const { rig, operator, pid } = await running(script);
    operator.hand(rig.runOf('r1', 'hook.sh'), { epoch: 2 });
    await expect.poll(() => isRunning(pid), SLOW).toBe(false);
    rig.letGo('go');

    await expect.poll(() => operator.of('r1').results, SLOW).toMatchObject([{ type: 'exited' }]);
    expect(existsSync(join(rig.path, 'two'))).toBe(false);
  });
});

describe('a worker that the operator does not know any more', () => {
  it('ends all that it runs, and says hello only then', async () => {
    const script = `${SHELL}trap 'sleep 0.3; touch "$GO/ended"; exit 4' TERM; echo $$; while :; do sleep 0.02; done\n`;
    const rig = workerRig({ 'hook.sh': script });
    const endedAtHello: boolean[] = [];
    const operator = await openOperator({
      beatMs: 50,
      instead: ({ path }) => {
        if (path.type === 'hello') endedAtHello.push(existsSync(join(rig.path, 'ended')));
        return undefined;
      },
    });
    const { messages } = rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));
    const pid = await pidOf(operator, 'r1');
    operator.worker = undefined;

    await expect.poll(() => operator.hellos, SLOW).toHaveLength(2);
    expect(endedAtHello).toEqual([false, true]);
    expect(isRunning(pid)).toBe(false);
    expect(operator.happened).not.toContain('result r1');
    expect(messages()).toContain('the operator does not know this worker');
    operator.hand(rig.runOf('r2', 'hook.sh'));
    await pidOf(operator, 'r2');
  });

  it.each([409, 410, 404])('drops a result that is answered with %i, and goes on', async (status) => {
    const rig = workerRig({ 'hook.sh': `${SHELL}exit 0\n` });
    const operator = await openOperator({
      beatMs: 50,
      instead: ({ path }) =>
        path.type === 'result' && path.runId === 'r1' ? { status, body: 'not that one' } : undefined,
    });
    const { log } = rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));
    await expect
      .poll(() => log.lines, SLOW)
      .toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ reason: `not that one (${status})` }) }),
      );
    operator.hand(rig.runOf('r2', 'hook.sh'));

    await expect.poll(() => operator.of('r2').results, SLOW).toMatchObject([{ type: 'exited' }]);
    expect(operator.hellos).toHaveLength(1);
  });

  it('sends in place of a result that is refused otherwise why it was', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}exit 0\n` });
    let refusals = 0;
    const operator = await openOperator({
      instead: ({ path }) =>
        path.type === 'result' && (refusals += 1) === 1 ? { status: 413, body: 'too large' } : undefined,
    });
    rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));

    await expect
      .poll(() => operator.of('r1').results, SLOW)
      .toMatchObject([{ type: 'failed', by: 'output', message: expect.stringContaining('too large (413)') }]);
  });
});

describe('a worker without contact', () => {
  it('ends its hooks before 1500 ms of silence, and goes on under its name when it is answered again', async () => {
    const { rig, operator, worker, pid } = await running(TICKS, { beatMs: 500, silenceMs: 1500 });
    const answeredAt = Date.now();
    operator.refusal = 'it does not lead';
    await expect.poll(() => isRunning(pid), SLOW).toBe(false);
    // The last beat that was answered is older than this by less than a beat.
    const silentMs = Date.now() - answeredAt;
    expect(worker.messages()).toContain('lost contact with the operator, hooks that run are ended');
    expect(silentMs).toBeGreaterThan(1000 - 500 - 100);
    operator.refusal = undefined;

    await expect.poll(() => operator.beats.at(-1), SLOW).toEqual([]);
    await expect.poll(() => worker.messages(), SLOW).toContain('the operator answers again');
    expect(operator.happened).not.toContain('result r1');
    operator.hand(rig.runOf('r2', 'hook.sh'));
    await pidOf(operator, 'r2');
    expect(operator.hellos).toHaveLength(1);
  });

  it('leaves a hook alone that runs for longer than 1500 ms while its beats are answered', async () => {
    const { rig, operator } = await running(WAITS, { beatMs: 500, silenceMs: 1500 });
    const before = operator.beats.length;
    await expect.poll(() => operator.beats.length, SLOW).toBeGreaterThan(before + 4);
    rig.letGo('go');

    await expect.poll(() => operator.of('r1').results, SLOW).toMatchObject([{ type: 'exited' }]);
  });

  it('keeps a result that it has, and sends it when it is answered again', async () => {
    const { rig, operator, worker } = await running(WAITS, { beatMs: 500, silenceMs: 1500 });
    const { happened } = operator;
    operator.refusal = 'it does not lead';
    rig.letGo('go');
    await expect
      .poll(() => worker.messages(), SLOW)
      .toContain('lost contact with the operator, hooks that run are ended');
    expect(happened).not.toContain('result r1');
    operator.refusal = undefined;

    await expect
      .poll(() => operator.of('r1').results, SLOW)
      .toMatchObject([{ type: 'exited', files: { patch: 'patch\n' } }]);
  });

  it('that stands still has its hook killed by the fence, and sends nothing of it', async () => {
    const rig = workerRig({ 'hook.sh': DEAF });
    const operator = await openOperator({ beatMs: 500, silenceMs: 1500 });
    const program = rig.start(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));
    const pid = await pidOf(operator, 'r1');
    program.signal('SIGSTOP');

    await expect.poll(() => isRunning(pid), SLOW).toBe(false);
    program.signal('SIGCONT');
    await expect.poll(() => operator.beats.at(-1), SLOW).toEqual([]);
    expect(operator.happened).not.toContain('result r1');
    operator.hand(rig.runOf('r2', 'hook.sh'));
    const next = await pidOf(operator, 'r2');
    // Its spawner ends the hook, which would outlive them both.
    program.signal('SIGKILL');
    await expect.poll(() => isRunning(next), SLOW).toBe(false);
  });
});

describe('a worker that is to end', () => {
  it('claims no more, finishes its runs, leaves, and exits with 0', async () => {
    const rig = workerRig({ 'hook.sh': WAITS });
    const operator = await openOperator({ beatMs: 50 });
    const program = rig.start(operator.url, '--drain-limit', '1m');
    operator.hand(rig.runOf('r1', 'hook.sh'));
    await pidOf(operator, 'r1');
    program.signal('SIGTERM');
    await expect.poll(() => operator.claiming, SLOW).toBe(0);
    operator.hand(rig.runOf('r2', 'hook.sh'));
    rig.letGo('go');

    expect(await program.ended).toBe(0);
    expect(operator.of('r1').results).toMatchObject([{ type: 'exited' }]);
    expect(operator.happened).not.toContain('claim r2');
    expect(operator.happened.slice(-2)).toEqual(['result r1', 'leave']);
  });

  it('ends what has not ended within its limit, sends no result of it, and leaves', async () => {
    const { operator, worker, pid } = await running(DEAF, { silenceMs: 3000 }, 300);
    worker.stop();
    await worker.ended;

    expect(isRunning(pid)).toBe(false);
    expect(operator.happened).not.toContain('result r1');
    expect(operator.happened.at(-1)).toBe('leave');
    expect(worker.messages()).toContain('runs are ended, as they have not within --drain-limit');
  });

  it('ends at once at the second SIGTERM, and so does its hook', async () => {
    const rig = workerRig({ 'hook.sh': DEAF });
    const operator = await openOperator({ beatMs: 50 });
    const program = rig.start(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));
    const pid = await pidOf(operator, 'r1');
    program.signal('SIGTERM');
    await program.says('no more runs are claimed');
    program.signal('SIGTERM');

    expect(await program.ended).toBe(143);
    await expect.poll(() => isRunning(pid), SLOW).toBe(false);
  });

  it('ends also while no operator takes it', async () => {
    const rig = workerRig({});
    const operator = await openOperator();
    operator.refusal = 'it does not lead';
    const worker = rig.work(operator.url);
    await expect.poll(() => operator.tokens.size, SLOW).toBe(1);
    worker.stop();

    await worker.ended;
    expect(operator.happened).toEqual([]);
  });
});

describe('a worker whose hooks change', () => {
  it('finishes its runs, leaves, and says hello with the new digest', async () => {
    const { rig, operator } = await running(WAITS, { beatMs: 50 });
    const first = operator.hellos[0]?.hooks;
    rig.write('other.sh', `${SHELL}exit 0\n`);
    await expect.poll(() => operator.claiming, SLOW).toBe(0);
    expect(operator.hellos).toHaveLength(1);
    rig.letGo('go');

    await expect.poll(() => operator.hellos.length, SLOW).toBe(2);
    expect(operator.hellos[1]?.hooks).not.toBe(first);
    expect(operator.hellos[1]?.hooks).toBe(await rig.digest());
    expect(operator.happened.indexOf('leave')).toBeGreaterThan(operator.happened.indexOf('result r1'));
    operator.hand(rig.runOf('r2', 'other.sh'));
    await expect.poll(() => operator.of('r2').results, SLOW).toMatchObject([{ type: 'exited' }]);
  });
});
