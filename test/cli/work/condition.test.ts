import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Condition } from '../../../src/cli/work/condition.ts';
import { failure } from '../../../src/cli/agent/result-of.ts';
import { exited } from '../../support/work-executor-rig.ts';
import { openOperator, SHELL, workerRig } from '../../support/worker-rig.ts';

const HOOK = { 'hook.sh': `${SHELL}exit 0\n` };
const SLOW = { timeout: 20_000 };
const ILL = failure('environment', 'the disk is full');

describe('a worker whose temporary folder cannot be used', () => {
  it('does not start', async () => {
    const rig = workerRig(HOOK);
    writeFileSync(join(rig.path, 'tmp'), '');
    const operator = await openOperator();
    const program = rig.start(operator.url);

    expect(await program.ended).toBe(2);
    expect(program.stderr()).toContain(`the temporary folder ${join(rig.path, 'tmp')} cannot be used`);
    expect(operator.hellos).toEqual([]);
  });

  it('any more has its runs failed by the environment, with why, and asks for one at a time until it can', async () => {
    const rig = workerRig(HOOK);
    const tmp = join(rig.path, 'tmp');
    const operator = await openOperator();
    const worker = rig.work(operator.url, { capacity: 4 });
    await expect.poll(() => operator.hellos, SLOW).toHaveLength(1);
    rmSync(tmp, { recursive: true, force: true });
    writeFileSync(tmp, '');
    operator.hand(rig.runOf('r1', 'hook.sh'));

    await expect
      .poll(() => operator.of('r1').results, SLOW)
      .toMatchObject([
        { type: 'failed', by: 'environment', message: expect.stringContaining(`${tmp} cannot be used`) },
      ]);
    // That request was out already.
    operator.hand(rig.runOf('r2', 'hook.sh'));
    await expect.poll(() => operator.of('r2').results, SLOW).toMatchObject([{ by: 'environment' }]);
    await expect.poll(() => operator.frees.at(-1), SLOW).toBe(1);
    rmSync(tmp);
    operator.hand(rig.runOf('r3', 'hook.sh'));
    await expect.poll(() => operator.of('r3').results, SLOW).toMatchObject([{ type: 'exited' }]);
    operator.hand(rig.runOf('r4', 'hook.sh'));
    await expect.poll(() => operator.frees.at(-1), SLOW).toBeGreaterThan(1);
    expect(worker.messages().filter((message) => message.startsWith('this worker could not run'))).toHaveLength(1);
  });
});

describe('the condition of a worker', () => {
  it('has it wait for 200 ms after a run that its environment failed, twice as long after the next, 5 s at most', () => {
    const condition = new Condition({ retry: { initialMs: 200, maxMs: 5000 } }, () => 0);
    const pauses = [1, 2, 3, 4, 5, 6, 7].map(() => {
      condition.ended(ILL);
      return condition.pauseMs;
    });

    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('is told once, has one run claimed at a time, and is well with the first that ends otherwise', () => {
    const condition = new Condition({ retry: { initialMs: 200, maxMs: 5000 } }, () => 0);

    expect([ILL, ILL].map((result) => condition.ended(result))).toEqual([true, false]);
    expect([condition.placesOf(4), condition.placesOf(0)]).toEqual([1, 0]);
    expect(condition.ended(failure('hook', 'it exited with 1'))).toBe(false);
    expect(condition.placesOf(4)).toBe(4);
    expect(condition.ended(ILL)).toBe(true);
    expect(condition.pauseMs).toBe(200);
    expect(condition.ended(exited())).toBe(false);
  });

  it('is not judged by a run that was cut off', () => {
    const condition = new Condition({ retry: { initialMs: 200, maxMs: 5000 } }, () => 0);

    expect(condition.ended({ ...ILL, isCutOff: true })).toBe(false);
    expect(condition.placesOf(4)).toBe(4);
  });
});
