import { describe, expect, it } from 'vitest';
import { claimed, exited, jobHook, jobRig, pass, soon, statusOf, told, turns } from '../../support/job-executor-rig.ts';

const never = new AbortController().signal;

describe('a run that is stopped', () => {
  it('has its Job deleted, and lasts until its Pod has ended', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await rig.running(caller.pod);
    const ticket = await claimed(desk, one.job, caller);
    await turns();

    one.stop();
    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
    await pass(10_000);
    const before = one.ended;
    const answer = desk.result(ticket, exited());
    await rig.removePod(caller.pod);

    expect([before, statusOf(answer)]).toEqual([undefined, 410]);
    expect(await one.execution).toMatchObject({ type: 'failed', by: 'hook', isCutOff: true });
    expect(told(one.ended)).toBe('hook: hook heavy.sh failed: it was ended: a newer run replaces it');
  });

  it('lasts no longer than the grace of its Pod of 30 s and 15 s more', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await rig.running(caller.pod);
    await claimed(desk, one.job, caller);
    await turns();

    one.stop();
    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
    await turns();
    await pass(44_999);
    const before = one.ended;
    await pass(1);

    expect(before).toBeUndefined();
    expect(told(await one.execution)).toContain('it was ended');
  });

  it('holds up no operator that ends, whatever the grace of its Pod is', async () => {
    const rig = await jobRig();
    const { run, desk, leaving } = rig.lead();
    const one = run(jobHook('heavy.sh', { template: { spec: { terminationGracePeriodSeconds: 3600 } } }));
    const caller = await rig.podFor(one.job);
    await rig.running(caller.pod);
    await claimed(desk, one.job, caller);
    await turns();
    one.stop();
    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
    await pass(60_000);
    const before = one.ended;

    leaving.is = true;
    await pass(1000);

    expect(before).toBeUndefined();
    expect(told(one.ended)).toContain('it was ended');
  });

  it('while the operator leaves is left to the next leader, and concluding it changes nothing', async () => {
    const rig = await jobRig();
    const { run, desk, leaving, executor } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    const ticket = await claimed(desk, one.job, caller);

    leaving.is = true;
    one.stop('the operator is stopping');
    const execution = await one.execution;
    executor.concluded(one.runId);
    await pass(10_000);

    expect(told(execution)).toBe(
      `environment: hook heavy.sh failed: the operator is stopping: its Job ${one.job} runs on, and the next leader takes it over`,
    );
    expect(await rig.jobNamed(one.job)).toBeDefined();
    expect([desk.result(ticket, exited()), await desk.fate(ticket, 0, never)].map(statusOf)).toEqual([503, 503]);
  });

  it('by the end of the leadership is left as well', async () => {
    const rig = await jobRig();
    const { run, desk, end } = rig.lead();
    const one = run(jobHook());
    await claimed(desk, one.job, await rig.podFor(one.job));

    await end();

    expect(told(await one.execution)).toContain('the next leader takes it over');
    expect(await rig.jobNamed(one.job)).toBeDefined();
  });

  it('before its Job was created has none, and was not started', async () => {
    const rig = await jobRig();
    const { run } = rig.lead({ authority: () => undefined });
    const one = run(jobHook());
    await turns();

    one.stop();

    expect(told(await one.execution)).toBe('environment: hook heavy.sh failed: it was ended: a newer run replaces it');
    expect(await rig.jobs()).toEqual([]);
  });

  it('whose result has come has that result', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));

    desk.result(ticket, exited());
    one.stop();

    expect(told(await one.execution)).toBe('exited');
  });
});
