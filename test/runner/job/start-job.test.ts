import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { metricValues } from '../../support/metric-values.ts';
import {
  claimed,
  exited,
  jobHook,
  JOBS,
  jobRig,
  pass,
  soon,
  statusOf,
  told,
  turns,
} from '../../support/job-executor-rig.ts';

const never = new AbortController().signal;
const QUOTA =
  'jobs.batch "x" is forbidden: exceeded quota: compute, requested: count/jobs.batch=1, used: 5, limited: 5';

describe('the Job of a run', () => {
  it('is created once, whatever becomes of the answer', async () => {
    const rig = await jobRig();
    rig.sandbox.faults.add({ type: 'hangUp', method: 'POST', path: JOBS, afterBytes: 1, times: 1 });
    const { run, desk } = rig.lead();

    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await turns();
    await pass(1200);
    const ticket = await claimed(desk, one.job, caller);
    desk.result(ticket, exited());

    expect(told(await one.execution)).toBe('exited');
    expect(await rig.jobs()).toHaveLength(1);
  });

  it.each([429, 500, 503])('is created after the API server has answered %i', async (code) => {
    const rig = await jobRig();
    rig.sandbox.faults.add({ type: 'status', code, method: 'POST', path: JOBS, times: 2 });
    const { run, desk, posted } = rig.lead();

    const one = run(jobHook());
    await posted();
    for (let second = 0; second < 10; second += 1) await pass(1000);
    desk.result(await claimed(desk, one.job, await rig.podFor(one.job)), exited());

    expect(told(await one.execution)).toBe('exited');
  });

  it('is given up when the API server answers 500 for longer than startTimeout, and deleted if it is there', async () => {
    const rig = await jobRig();
    rig.sandbox.faults.add({ type: 'status', code: 500, method: 'POST', path: JOBS });
    const { run, posted } = rig.lead();

    const one = run(jobHook('heavy.sh', { startTimeoutMs: 5000 }));
    await posted();
    for (let second = 0; second < 12; second += 1) await pass(1000);

    expect(told(await one.execution)).toContain(
      'environment: hook heavy.sh failed: its Job could not be created: POST',
    );
    await soon(() => rig.sandbox.requests.find(({ method, path }) => method === 'DELETE' && path.endsWith(one.job)));
  });

  it('waits for a quota, is told of once, and is created when there is room', async () => {
    const rig = await jobRig();
    const full = rig.sandbox.faults.add({ type: 'status', code: 403, message: QUOTA, method: 'POST', path: JOBS });
    const { run, desk, events, metrics, posted } = rig.lead();

    const one = run(jobHook());
    await posted();
    await pass(6000);
    await pass(12_000);
    const waiting = metricValues(metrics, 'jobs_waiting');
    full();
    await pass(24_000);
    desk.result(await claimed(desk, one.job, await rig.podFor(one.job)), exited());

    expect(told(await one.execution)).toBe('exited');
    expect(events).toEqual([
      expect.stringMatching(
        /^JobWaiting: hook heavy\.sh: its Job waits for a quota of the namespace default: .*exceeded quota/,
      ),
    ]);
    expect([waiting, metricValues(metrics, 'jobs_waiting')]).toEqual([['1'], ['0']]);
  });

  it('that must not be created fails its run with the rule that a Role needs', async () => {
    const rig = await jobRig({ authorize: ({ verb, resource }) => !(verb === 'create' && resource === 'jobs') });
    const { run } = rig.lead();

    const execution = await run(jobHook()).execution;

    expect(execution).toMatchObject({ type: 'failed', by: 'environment' });
    expect(told(execution)).toMatch(/add the rule .*batch.*jobs.*create.* to a Role in the namespace default/);
  });

  it('in a namespace that is not there fails its run with what to do', async () => {
    const rig = await jobRig();
    const { run } = rig.lead();

    const execution = await run(jobHook('heavy.sh', { namespace: 'none' })).execution;

    expect(told(execution)).toMatch(
      /^environment: hook heavy\.sh failed: its Job could not be created: .*; create the namespace none, or set settings\.executor\.job\.namespace$/,
    );
  });

  it.each([400, 422])('that the API server refuses with %i fails its run with where to look', async (code) => {
    const rig = await jobRig();
    rig.sandbox.faults.add({ type: 'status', code, method: 'POST', path: JOBS });
    const { run } = rig.lead();

    const execution = await run(jobHook()).execution;

    expect(told(execution)).toMatch(
      /^environment: .* could not be created: .*; see settings\.executor, and its template$/,
    );
  });

  it('waits until the authority of certificates is known', async () => {
    const rig = await jobRig();
    const known: { authority: string | undefined } = { authority: undefined };
    const { run } = rig.lead({ authority: () => known.authority });
    const one = run(jobHook());
    await turns();
    await pass(60_000);
    const before = await rig.jobs();

    known.authority = 'PEM';
    await pass(500);

    expect(before).toEqual([]);
    await soon(async () => rig.jobNamed(one.job));
  });

  it('is one of at most 10 at once of 50, and one starts in a second, in their order', async () => {
    const rig = await jobRig();
    const { run, desk, executor } = rig.lead();
    const hook = jobHook();
    const runs = Array.from({ length: 50 }, (_, at) => run(hook, { runId: `run-${String(at).padStart(2, '0')}` }));
    await soon(async () => (await rig.jobs())[0]);

    const counts: number[] = [];
    const finished = new Set<string>();
    for (let second = 0; second < 70; second += 1) {
      const open = (await rig.jobs()).map(({ metadata }) => nameIn(metadata)).filter((name) => !finished.has(name));
      counts.push(open.length + finished.size);
      expect(open.length).toBeLessThanOrEqual(10);
      if (open.length === 10 || (second > 60 && open.length > 0)) {
        for (const name of open.toSorted().slice(0, 5)) {
          desk.result(await claimed(desk, name, await rig.podFor(name)), exited());
          finished.add(name);
        }
        await turns();
        for (const name of finished) executor.concluded(name.slice('hooklet-run-'.length));
      }
      await pass(1000);
    }

    expect(counts.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(counts.every((count, at) => at === 0 || count - (counts[at - 1] ?? 0) <= 1)).toBe(true);
    expect([...finished].slice(0, 25)).toEqual(runs.slice(0, 25).map(({ job }) => job));
    expect(finished.size).toBe(50);
  });

  it('that waits for a place is not created when its run is stopped', async () => {
    const rig = await jobRig();
    const { run } = rig.lead({ maxAtOnce: 1, maxStartsPerSecond: 100 });
    run(jobHook());
    await soon(async () => ((await rig.jobs()).length === 1 ? true : undefined));
    const second = run(jobHook());
    await turns();

    second.stop();

    expect(told(await second.execution)).toBe(
      'environment: hook heavy.sh failed: it was ended: a newer run replaces it',
    );
    expect(await rig.jobs()).toHaveLength(1);
  });
});

describe('a Pod that does not start', () => {
  const waiting = (reason: string, message: string): JsonObject => ({
    containerStatuses: [
      { name: 'hook', image: 'x', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason, message } } },
    ],
  });

  it.each([
    [
      'cannot be scheduled',
      { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] },
      'Unschedulable: 0/3 nodes',
    ],
    ['has no image', waiting('ImagePullBackOff', 'no such image'), 'container hook: ImagePullBackOff: no such image'],
  ])('and %s is deleted after startTimeout of 2 minutes, with its own reason', async (_what, status, reason) => {
    const rig = await jobRig();
    const { run, desk, metrics } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await rig.podStatus(caller.pod, { phase: 'Pending', ...status });
    await turns();

    await pass(119_999);
    const before = await rig.jobNamed(one.job);
    await pass(1);
    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
    await rig.removePod(caller.pod);

    expect(before).toBeDefined();
    expect(told(await one.execution)).toBe(
      `environment: hook heavy.sh failed: the Pod of its Job ${one.job} did not ask for its run within 2m (settings.executor.job.startTimeout): ${reason}`,
    );
    expect(statusOf(await desk.claim(one.job, caller, never))).toBe(410);
    expect(metricValues(metrics, 'jobs_failed_to_start_total')).toEqual(['{hook="heavy.sh"} 1']);
  });

  it('because none is created has the reason of the Job controller', async () => {
    const rig = await jobRig();
    const { run } = rig.lead();
    const one = run(jobHook());
    const job = await soon(async () => rig.jobNamed(one.job));
    const { uid = '' } = job['metadata'] as JsonObject;
    await rig.sandbox.call('POST', '/api/v1/namespaces/default/events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'x', namespace: 'default' },
      involvedObject: { kind: 'Job', name: one.job, namespace: 'default', uid },
      type: 'Warning',
      reason: 'FailedCreate',
      message: 'Error creating: pods "x" is forbidden: violates PodSecurity',
    });
    await turns();
    await pass(120_000);

    expect(told(await one.execution)).toMatch(
      /startTimeout\): no Pod was created; Error creating: .* violates PodSecurity$/,
    );
  });

  it('and ends before it asked fails its run at once', async () => {
    const rig = await jobRig();
    const { run } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await rig.ended(caller.pod, 128, 'StartError');

    expect(told(await one.execution)).toContain(
      'ended before it asked for its run: it ended with exit code 128: StartError',
    );
  });

  it('of a suspended Job is waited for, and has its time from when the Job was let begin', async () => {
    const rig = await jobRig();
    const { run } = rig.lead();
    const one = run(jobHook('heavy.sh', { isSuspended: true, labels: { 'kueue.x-k8s.io/queue-name': 'q' } }));
    const job = await soon(async () => rig.jobNamed(one.job));
    await turns();

    await pass(3_600_000);
    const before = one.ended;
    await rig.patch(`${JOBS}/${one.job}`, { spec: { suspend: false } });
    await turns();
    await pass(119_999);
    const later = one.ended;
    await pass(1);

    expect(job).toMatchObject({ spec: { suspend: true }, metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'q' } } });
    expect([before, later]).toEqual([undefined, undefined]);
    expect(told(await one.execution)).toContain('no Pod was created');
  });
});

function nameIn(metadata: unknown): string {
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : '';
}
