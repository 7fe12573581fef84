import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  claimed,
  exited,
  jobHook,
  JOBS,
  jobRig,
  NO_FILES,
  pass,
  soon,
  statusOf,
  told,
  turns,
} from '../../support/job-executor-rig.ts';

const never = new AbortController().signal;
setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('a run', () => {
  it('is granted to one of two Pods of its Job, for good', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const [first, second] = [await rig.podFor(one.job), await rig.podFor(one.job)];
    await turns();

    const answers = await Promise.all([first, second].map(async (pod) => desk.claim(one.job, pod, never)));
    await rig.removePod(first.pod);
    const later = await desk.claim(one.job, second, never);

    expect(answers.map(statusOf)).toEqual(['ok', 409]);
    expect(statusOf(later)).toBe(409);
    expect(await rig.jobNamed(one.job)).toMatchObject({
      metadata: {
        annotations: {
          'hooklet.dev/claimed-by': first.podUid,
          'hooklet.dev/epoch': '1',
          'hooklet.dev/claimed-at': expect.stringMatching(/^2\d{3}-/),
        },
      },
    });
  });

  it('is granted anew to its Pod: the epoch before gets 409', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    const old = await claimed(desk, one.job, caller);
    const ticket = await claimed(desk, one.job, caller);

    const answers = [
      desk.output(old, []),
      desk.contexts(old),
      desk.result(old, exited()),
      await desk.fate(old, 0, never),
    ];
    await turns();

    expect([ticket.epoch, ticket.hasContexts]).toEqual([2, true]);
    expect(answers.map(statusOf)).toEqual([409, 409, 409, 409]);
    expect(one.ended).toBeUndefined();
    expect(statusOf(desk.result(ticket, exited()))).toBe('ok');
  });

  it('takes its result once, and the same one again', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));

    const answers = [desk.result(ticket, exited({ patch: '1' })), desk.result(ticket, exited({ patch: '2' }))];
    await one.execution;
    answers.push(desk.result(ticket, exited({ patch: '1' })));

    expect(answers.map(statusOf)).toEqual(['ok', 'ok', 'ok']);
    expect(one.ended).toMatchObject({ outputs: { ...NO_FILES, patch: '1' } });
  });

  it('is refused to a Pod of no Job, of another Job, with another uid, and of another namespace', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead({ maxStartsPerSecond: 1000 });
    const [one, other] = [run(jobHook()), run(jobHook())];
    await soon(async () => (await rig.jobs())[0]);
    await pass(10);
    const [own, foreign] = [await rig.podFor(one.job), await rig.podFor(other.job)];
    const lonely = { namespace: 'default', account: 'default', pod: 'lonely', podUid: 'x' };

    const answers = [
      await desk.claim(one.job, lonely, never),
      await desk.claim(one.job, foreign, never),
      await desk.claim(one.job, { ...own, podUid: 'forged' }, never),
      await desk.claim(one.job, { ...own, pod: foreign.pod }, never),
      await desk.claim(one.job, { ...own, namespace: 'elsewhere' }, never),
    ];

    expect(answers.map(statusOf)).toEqual([403, 403, 403, 403, 503]);
  });

  it('is not granted to a Pod that is being deleted', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await rig.running(caller.pod);
    await rig.sandbox.call('DELETE', `/api/v1/namespaces/default/pods/${caller.pod}`);

    const answer = await soon(async () => {
      const got = await desk.claim(one.job, caller, never);
      return statusOf(got) === 503 ? undefined : got;
    });

    expect(statusOf(answer)).toBe(409);
  });

  it('is asked for again while the API server does not record the claim', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await turns();
    const fault = rig.sandbox.faults.add({ type: 'status', code: 500, method: 'PATCH', path: JOBS });

    const refused = await desk.claim(one.job, caller, never);
    fault();
    const granted = await desk.claim(one.job, caller, never);

    expect([refused, granted].map(statusOf)).toEqual([503, 'ok']);
  });

  it('is granted under the epoch after a claim whose answer was lost', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await turns();
    rig.sandbox.faults.add({ type: 'hangUp', method: 'PATCH', path: JOBS, afterBytes: 1, times: 1 });

    const lost = await desk.claim(one.job, caller, never);
    const ticket = await claimed(desk, one.job, caller);

    expect([statusOf(lost), ticket.epoch]).toEqual([503, 2]);
  });

  it('keeps nothing of the thousands of requests that a long one has', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));
    const asked = async (): Promise<void> => {
      for (let count = 0; count < 20_000; count += 1) await desk.fate(ticket, 0, never);
    };
    await asked();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;

    await asked();

    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5_000_000);
  });

  it('has ended for its Pod when its Job was deleted', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await turns();
    await rig.sandbox.call('DELETE', `${JOBS}/${one.job}?propagationPolicy=Orphan`);
    await rig.removePod(caller.pod);
    await one.execution;

    expect(told(one.ended)).toContain('was deleted before it had a result');
    expect(statusOf(await desk.claim(one.job, caller, never))).toBe(410);
  });
});

describe('the desk', () => {
  const caller = { namespace: 'default', account: 'default', pod: 'p', podUid: 'u' };
  const ticket = { job: 'hooklet-run-none', caller, epoch: 1 };

  it('answers 503 before it leads, and after', async () => {
    const rig = await jobRig();
    const { desk, end } = rig.lead();
    const before = [await desk.claim('hooklet-run-none', caller, never), desk.result(ticket, exited())];
    await end();
    const after = [await desk.claim('hooklet-run-none', caller, never), await desk.fate(ticket, 0, never)];

    expect([...before, ...after].map(statusOf)).toEqual([503, 503, 503, 503]);
  });

  it('answers a claim of a Job that is gone with 410, and all else about it with 404', async () => {
    const rig = await jobRig();
    const { desk } = rig.lead();
    await soon(() => (statusOf(desk.output(ticket, [])) === 503 ? undefined : true));

    const answers = [await desk.claim(ticket.job, caller, never), desk.output(ticket, []), desk.contexts(ticket)];

    expect(answers.map(statusOf)).toEqual([410, 404, 404]);
  });
});
