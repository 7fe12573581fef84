import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { metricValues } from '../../support/metric-values.ts';
import {
  claimed,
  exited,
  jobHook,
  JOBS,
  PODS,
  jobRig,
  pass,
  soon,
  statusOf,
  told,
  turns,
  type JobRig,
} from '../../support/job-executor-rig.ts';

const never = new AbortController().signal;
const hook = jobHook();

/** A run that was claimed and goes on, and whose operator is killed. */
async function orphaned(rig: JobRig, fields: { readonly ticks?: readonly string[]; readonly hook?: typeof hook } = {}) {
  const old = rig.lead();
  const { ticks, hook: own = hook } = fields;
  const one = old.run(own, { ...(ticks !== undefined && { ticks }) });
  const caller = await rig.podFor(one.job);
  await rig.running(caller.pod);
  const ticket = await claimed(old.desk, one.job, caller);
  old.kill();
  old.leaving.is = true;
  return { job: one.job, runId: one.runId, caller, ticket };
}

const isGone = (rig: JobRig, job: string) =>
  soon(async () => ((await rig.jobNamed(job)) === undefined ? true : undefined));

describe('a Job of an earlier leader', () => {
  it('whose Pod runs is taken over: what it sends is given to adopt, then it is concluded and deleted', async () => {
    const rig = await jobRig();
    const { job, runId, caller } = await orphaned(rig);
    const { desk, adopted, metrics } = rig.lead();

    const ticket = await claimed(desk, job, caller);
    desk.output(ticket, [{ stream: 'stdout', line: 'still here' }]);
    desk.result(ticket, exited({ patch: '{}' }));
    await soon(() => adopted[0]);

    expect([ticket.epoch, ticket.hasContexts]).toEqual([2, false]);
    expect(statusOf(desk.contexts(ticket))).toBe(410);
    expect(adopted).toMatchObject([
      { run: { hook: 'heavy.sh', runId, attempt: 1 }, execution: { type: 'exited', outputs: { patch: '{}' } } },
    ]);
    await isGone(rig, job);
    expect(await desk.fate(ticket, 0, never)).toEqual({ type: 'ok', value: 'ended' });
    expect(metricValues(metrics, 'jobs_adopted_total')).toEqual(['1']);
  });

  it('is claimed anew before its result counts, also one that an earlier leader has taken', async () => {
    const rig = await jobRig();
    const { job, caller, ticket } = await orphaned(rig);
    const { desk, adopted } = rig.lead();

    const asked = await soon(async () => {
      const status = statusOf(await desk.fate(ticket, 1000, never));
      return status === 503 ? undefined : [status, statusOf(desk.result(ticket, exited()))];
    });
    const before = adopted.length;
    desk.result(await claimed(desk, job, caller), exited());
    await soon(() => adopted[0]);

    expect([asked, before]).toEqual([[409, 409], 0]);
  });

  it('holds back every run of its hook until it has ended, and none of another hook', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig);
    const { desk, run } = rig.lead({ maxStartsPerSecond: 1000 });
    const [same, other] = [run(hook), run(jobHook('other.sh'))];
    await soon(async () => rig.jobNamed(other.job));
    await pass(100);
    const before = await rig.jobNamed(same.job);

    desk.result(await claimed(desk, job, caller), exited());
    await turns();
    await pass(10);

    expect(before).toBeUndefined();
    await soon(async () => rig.jobNamed(same.job));
  });

  it('of the same ticks is that very run: its lines and its result are those of the execution', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig, { ticks: ['a', 'b'] });
    const { desk, run, adopted, executor } = rig.lead();
    const again = run(hook, { ticks: ['b', 'a'], attempt: 2 });
    await turns();

    const ticket = await claimed(desk, job, caller);
    desk.output(ticket, [{ stream: 'stdout', line: 'still here' }]);
    desk.result(ticket, exited({ patch: '{}' }));
    const execution = await again.execution;
    const kept = await rig.jobNamed(job);
    executor.concluded(again.runId);

    expect(execution).toMatchObject({ type: 'exited', outputs: { patch: '{}' } });
    expect(again.lines).toEqual(['stdout still here']);
    expect(kept).toBeDefined();
    await isGone(rig, job);
    expect(adopted).toEqual([]);
    expect(await rig.jobNamed(again.job)).toBeUndefined();
  });

  it('of ticks that has ended is held for their run for 60 s, then given to adopt', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig, { ticks: ['a'] });
    const { desk, adopted } = rig.lead();
    desk.result(await claimed(desk, job, caller), exited());
    await turns();

    await pass(59_999);
    const before = adopted.length;
    await pass(1);

    expect([before, adopted.map(({ run }) => run.ticks)]).toEqual([0, [['a']]]);
  });

  it('that could not be applied before the operator ended is left with its Pod to the next leader', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig);
    const { desk, end } = rig.lead({ adopt: async () => 'left' });
    const ticket = await claimed(desk, job, caller);
    desk.result(ticket, exited({ patch: '{}' }));
    await turns();
    const fate = await desk.fate(ticket, 0, never);
    await end();

    const next = rig.lead();
    next.desk.result(await claimed(next.desk, job, caller), exited({ patch: '{}' }));
    await soon(() => next.adopted[0]);

    expect(fate).toEqual({ type: 'ok', value: 'waiting' });
    expect(next.adopted).toMatchObject([{ execution: { type: 'exited', outputs: { patch: '{}' } } }]);
  });

  it('that nobody has claimed is deleted, and its Pod gets 410', async () => {
    const rig = await jobRig();
    const old = rig.lead();
    const one = old.run(hook);
    const caller = await rig.podFor(one.job);
    old.kill();
    old.leaving.is = true;

    const { desk, run, adopted } = rig.lead();
    const next = run(hook);
    await isGone(rig, one.job);

    expect(statusOf(await desk.claim(one.job, caller, never))).toBe(410);
    await soon(async () => rig.jobNamed(next.job));
    expect(adopted).toEqual([]);
  });

  it.each(['has ended', 'is gone'])('whose Pod %s is deleted', async (what) => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig);
    if (what === 'is gone') await rig.removePod(caller.pod);
    else await rig.ended(caller.pod, 0);

    const { adopted, log } = rig.lead();
    await isGone(rig, job);

    expect(adopted).toEqual([]);
    expect(log.lines.map(({ message }) => message)).toContain('a Job of an earlier leader is deleted');
  });

  it('whose failure was recorded stays until its time is over', async () => {
    const rig = await jobRig();
    const old = rig.lead();
    const one = old.run(hook);
    const caller = await rig.podFor(one.job);
    await claimed(old.desk, one.job, caller);
    await rig.ended(caller.pod, 1);
    await turns();
    await pass(10_000);
    await one.execution;
    old.executor.concluded(one.runId);
    await soon(async () => (JSON.stringify(await rig.jobNamed(one.job)).includes('concluded') ? true : undefined));
    await old.end();

    const { run } = rig.lead();
    const next = run(hook);
    await soon(async () => rig.jobNamed(next.job));
    await pass(5000);

    expect(await rig.jobNamed(one.job)).toBeDefined();
  });

  it('that says nothing is waited for while its Pod runs: told of once after startTimeout, ended after 24 h', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig);
    const { events, adopted } = rig.lead();
    await turns();
    await pass(119_000);
    const early = [...events];
    await pass(23 * 3_600_000);
    const late = [[...events], adopted.length];
    await pass(3_600_000);
    await isGone(rig, job);
    await rig.removePod(caller.pod);
    await soon(() => adopted[0]);

    expect([early, late]).toEqual([
      [],
      [[expect.stringMatching(/^JobSilent: hook heavy\.sh: the Pod of its Job default\//)], 0],
    ]);
    expect(told(adopted[0]?.execution)).toMatch(/^environment: .* is gone without a result/);
  });

  it('has no more time than its hook: 60 s and 30 s more', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig, { hook: jobHook('heavy.sh', {}, { timeoutMs: 60_000 }) });
    await pass(50_000);
    const { adopted } = rig.lead();
    await turns();
    await pass(39_000);
    const before = await rig.jobNamed(job);
    await pass(1000);
    await isGone(rig, job);
    await rig.removePod(caller.pod);
    await soon(() => adopted[0]);

    expect(before).toBeDefined();
    expect(told(adopted[0]?.execution)).toContain('it ran longer than its time limit of 1m');
  });

  it('is deleted with its Pod when the run that took it is stopped', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig, { ticks: ['a'] });
    const { run } = rig.lead();
    const again = run(hook, { ticks: ['a'] });
    await turns();

    again.stop();
    await isGone(rig, job);
    await rig.removePod(caller.pod);

    expect(told(await again.execution)).toBe('hook: hook heavy.sh failed: it was ended: a newer run replaces it');
  });

  it('is left alone where it has the name of another run, or the id of one that is under way elsewhere', async () => {
    const rig = await jobRig();
    const { run, desk, executor, log, adopted } = rig.lead({ namespaces: () => ['other'] });
    const one = run(hook);
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));
    const model = await soon(async () => rig.jobNamed(one.job));
    await rig.sandbox.call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    for (const [namespace, name] of [
      ['default', 'hooklet-run-forged'],
      ['other', one.job],
    ] as const) {
      const { labels, annotations } = Object(model['metadata']);
      const body = { metadata: { name, labels, annotations }, spec: ownSpec(model['spec']) };
      await rig.sandbox.call('POST', `/apis/batch/v1/namespaces/${namespace}/jobs`, body);
    }
    const alone = 'a Job has the label of this installation, and is none of its Jobs';
    await soon(() => (log.lines.filter(({ message }) => message === alone).length === 2 ? true : undefined));

    desk.result(ticket, exited());
    await one.execution;
    executor.concluded(one.runId);
    await isGone(rig, one.job);

    expect(await rig.jobNamed('hooklet-run-forged')).toBeDefined();
    expect(adopted).toEqual([]);
  });

  it('that came after the first list is found, too', async () => {
    const rig = await jobRig();
    const old = rig.lead();
    const one = old.run(hook);
    const next = rig.lead();
    await turns();
    await isGone(rig, one.job);

    expect(next.adopted).toEqual([]);
  });

  it('of thousands that have ended holds up nothing, and at most 5 are deleted in a second', async () => {
    const rig = await jobRig();
    const old = rig.lead();
    const one = old.run(hook);
    const model = await soon(async () => rig.jobNamed(one.job));
    await old.end();
    const { metadata, spec } = structuredClone(model);
    if (typeof metadata !== 'object' || metadata === null || !('labels' in metadata)) throw new Error('no Job');
    for (let count = 0; count < 3000; count += 1) {
      const { labels = {}, annotations = {} } = metadata;
      const facts = Object(annotations)['hooklet.dev/run'].replace(one.runId, `left-${count}`);
      const claims = { 'hooklet.dev/run': facts, 'hooklet.dev/claimed-by': 'gone', 'hooklet.dev/epoch': '1' };
      const own = { name: `hooklet-run-left-${count}`, labels, annotations: { ...Object(annotations), ...claims } };
      await rig.sandbox.call('POST', JOBS, { apiVersion: 'batch/v1', kind: 'Job', metadata: own, spec: ownSpec(spec) });
    }

    const { run, desk } = rig.lead();
    const next = run(jobHook('other.sh'));
    desk.result(await claimed(desk, next.job, await rig.podFor(next.job)), exited());
    const execution = await next.execution;
    await pass(10_000);
    const left = (await rig.jobs()).length;

    expect(told(execution)).toBe('exited');
    expect(3001 - left).toBeGreaterThan(40);
    expect(3001 - left).toBeLessThanOrEqual(56);
  });
});

/** Without what the server has added, which it takes from nobody else. */
function ownSpec(spec: unknown) {
  const { template, parallelism, completions, backoffLimit } = Object(spec);
  const { labels: _labels, ...metadata } = Object(template.metadata);
  return { parallelism, completions, backoffLimit, template: { ...template, metadata } };
}

describe('an operator that is killed again and again', () => {
  it('has each run applied once', async () => {
    const rig = await jobRig();
    const { job, caller } = await orphaned(rig);
    const applied: string[] = [];
    for (let life = 0; life < 5; life += 1) {
      const one = rig.lead();
      const ticket = await claimed(one.desk, job, caller);
      expect(ticket.epoch).toBe(life + 2);
      one.kill();
      one.leaving.is = true;
      await one.end();
    }
    const last = rig.lead({ adopt: async ({ runId }) => void applied.push(runId) });
    const ticket = await claimed(last.desk, job, caller);
    last.desk.result(ticket, exited());
    await isGone(rig, job);
    last.desk.result(ticket, exited());

    expect(applied).toHaveLength(1);
  });
});

describe('a claim in a namespace that is not that of hooklet', () => {
  const elsewhere = jobHook('heavy.sh', { namespace: 'default' });
  const sealOf = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest('hex');

  /** A claimed run there whose grant has the seal of `key`, as another leader finds it that seals with `own`. */
  async function found(key: string, own: string) {
    const rig = await jobRig();
    const place = { namespace: 'hooklet', namespaces: () => ['default'] };
    const old = rig.lead({ ...place, seal: sealOf(key) });
    const one = old.run(elsewhere);
    const caller = await rig.podFor(one.job);
    await rig.running(caller.pod);
    await claimed(old.desk, one.job, caller);
    old.kill();
    old.leaving.is = true;
    const leader = rig.lead({ ...place, seal: sealOf(own) });
    return { rig, caller, job: one.job, ...leader };
  }

  it('is believed when it has the seal of the installation', async () => {
    const { job, caller, desk, adopted } = await found('key', 'key');

    desk.result(await claimed(desk, job, caller), exited());

    await soon(() => adopted[0]);
  });

  it('is not believed without it: its Job is deleted, and nothing of it is applied', async () => {
    const { rig, job, adopted } = await found('forged', 'key');

    await soon(async () => ((await rig.jobNamed(job)) === undefined ? true : undefined));
    expect(adopted).toEqual([]);
  });
});

describe('a Pod of a Job that an earlier leader has deleted', () => {
  /** A Pod that has its grace of 60 s, and whose Job is gone. */
  async function terminating(rig: JobRig) {
    const { job, caller } = await orphaned(rig);
    await rig.patch(`${PODS}/${caller.pod}`, { metadata: { finalizers: ['example.com/grace'] } });
    await rig.removePod(caller.pod);
    await rig.removeJob(job);
    return caller;
  }

  it('is waited for before the next run of its hook begins', async () => {
    const rig = await jobRig();
    const { pod } = await terminating(rig);
    const next = rig.lead({ maxStartsPerSecond: 1000 }).run(hook);
    await pass(2000);
    const before = await rig.jobNamed(next.job);

    await rig.patch(`${PODS}/${pod}`, { metadata: { finalizers: null } });
    for (let look = 0; look < 8; look += 1) await pass(250);

    expect(before).toBeUndefined();
    await soon(async () => rig.jobNamed(next.job));
  });

  it('is waited for 60 s at most', async () => {
    const rig = await jobRig();
    await terminating(rig);
    const next = rig.lead({ maxStartsPerSecond: 1000 }).run(hook);

    for (let second = 0; second < 59; second += 1) await pass(1000);
    const before = await rig.jobNamed(next.job);
    for (let second = 0; second < 3; second += 1) await pass(1000);

    expect(before).toBeUndefined();
    await soon(async () => rig.jobNamed(next.job));
  });
});
