import { describe, expect, it } from 'vitest';
import type { RemoteResult } from '../../../src/hook/remote-run.ts';
import type { HookOutput } from '../../../src/runner/executor.ts';
import { metricValues } from '../../support/metric-values.ts';
import {
  JOBS,
  claimed,
  exited,
  hookState,
  jobHook,
  jobRig,
  NO_FILES,
  pass,
  soon,
  statusOf,
  told,
  turns,
} from '../../support/job-executor-rig.ts';

const never = new AbortController().signal;

function failed(): RemoteResult {
  return {
    type: 'failed',
    by: 'hook',
    message: 'hook heavy.sh failed: exit code 1',
    exitCode: 1,
    timedOut: false,
    isPermanent: false,
    isCutOff: false,
  };
}

describe('the run of a Job', () => {
  it('is what its Pod was granted, printed and sent', async () => {
    const rig = await jobRig();
    const { run, desk, metrics } = rig.lead();
    const hook = jobHook('heavy.sh', {}, { timeoutMs: 60_000, outcome: { later: [3] } });
    const one = run(hook, { attempt: 2, traceparent: '00-1' });
    const caller = await rig.podFor(one.job);
    await rig.running(caller.pod);
    const ticket = await claimed(desk, one.job, caller);

    desk.output(ticket, [
      { stream: 'stdout', line: 'begun' },
      { stream: 'stderr', line: 'careful' },
    ]);
    const contexts = desk.contexts(ticket);
    desk.result(ticket, exited({ patch: '{}', result: '{"reason":"x"}' }));
    await one.execution;
    desk.output(ticket, [{ stream: 'stdout', line: 'too late' }]);

    expect(ticket).toMatchObject({
      epoch: 1,
      runId: one.runId,
      attempt: 2,
      hook: 'heavy.sh',
      type: 'process',
      timeoutMs: 60_000,
      outcome: { later: [3] },
      plainExitCodes: false,
      traceparent: '00-1',
      contextBytes: 17,
      hasContexts: true,
    });
    expect(ticket.hookHash).toMatch(/^[0-9a-f]{64}$/);
    expect(contexts.type === 'ok' && Buffer.concat(contexts.value).toString()).toBe('[{"binding":"a"}]');
    expect(await one.execution).toEqual({
      type: 'exited',
      cost: { durationMs: 5000, usage: {} },
      outputs: { ...NO_FILES, patch: '{}', result: '{"reason":"x"}' },
    });
    expect(one.lines).toEqual(['stdout begun', 'stderr careful']);
    expect(metricValues(metrics, 'job_start_seconds')).toEqual(['{hook="heavy.sh"} 1']);
  });

  it('lasts until it is concluded: then its Pod may end, and its Job is deleted', async () => {
    const rig = await jobRig();
    const { run, desk, executor, metrics } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));
    const running = metricValues(metrics, 'jobs_running');
    desk.result(ticket, exited());
    await one.execution;

    const waiting = desk.fate(ticket, 5000, never);
    await pass(5000);
    const fate = desk.fate(ticket, 60_000, never);
    executor.concluded(one.runId);

    expect(await waiting).toEqual({ type: 'ok', value: 'waiting' });
    expect(await fate).toEqual({ type: 'ok', value: 'ended' });
    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
    expect([running, metricValues(metrics, 'jobs_running')]).toEqual([['1'], ['0']]);
  });

  it('is lost to the environment when the cluster ends its Pod, 10 s after that without a result', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await claimed(desk, one.job, caller);
    await rig.podStatus(caller.pod, { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' });
    await turns();

    await pass(9999);
    const before = one.ended;
    await pass(1);

    expect(before).toBeUndefined();
    expect(await one.execution).toMatchObject({ type: 'failed', by: 'environment', isCutOff: true });
    expect(told(one.ended)).toBe(
      `environment: hook heavy.sh failed: the cluster ended the Pod of its Job ${one.job} before it sent a result: Evicted: The node was low on memory.`,
    );
  });

  it('has the result that comes 9999 ms after the end of its Pod', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    const ticket = await claimed(desk, one.job, caller);
    await rig.ended(caller.pod, 1);
    await pass(9999);

    desk.result(ticket, exited());

    expect(told(await one.execution)).toBe('exited');
  });

  it.each([
    [1, 'Error', 'its Job JOB ended and sent no result: exit code 1'],
    [137, 'OOMKilled', 'its container ran out of memory (OOMKilled)'],
  ])(
    'is a failure of the hook whose Pod ended with exit code %i (%s) without a result',
    async (exitCode, reason, said) => {
      const rig = await jobRig();
      const { run, desk } = rig.lead();
      const one = run(jobHook());
      const caller = await rig.podFor(one.job);
      await claimed(desk, one.job, caller);
      await rig.ended(caller.pod, exitCode, reason);
      await turns();
      await pass(10_000);

      expect(await one.execution).toMatchObject({
        type: 'failed',
        by: 'hook',
        isCutOff: true,
        cost: { durationMs: 7000 },
      });
      expect(one.ended).toMatchObject({ error: { ending: { exitCode, timedOut: false } } });
      expect(told(one.ended)).toContain(said.replace('JOB', one.job));
    },
  );

  it('goes on while its Pod is told to end, for its grace of 30 s and 30 s more, and the 10 s for a result', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await claimed(desk, one.job, caller);
    await rig.running(caller.pod);
    await rig.sandbox.call('DELETE', `/api/v1/namespaces/default/pods/${caller.pod}`);
    await turns();

    await pass(69_999);
    const before = one.ended;
    await pass(1);

    expect(before).toBeUndefined();
    expect(told(await one.execution)).toContain('the cluster ended the Pod');
  });

  it('fails by the environment when somebody deletes its Job', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    await claimed(desk, one.job, caller);
    await rig.sandbox.call('DELETE', `/apis/batch/v1/namespaces/default/jobs/${one.job}?propagationPolicy=Background`);
    await rig.removePod(caller.pod);
    await turns();
    await pass(10_000);

    expect(told(await one.execution)).toMatch(/^environment: .* was deleted before it had a result: by somebody/);
  });

  it('is ended 30 s after the time limit of 60 s by an agent that does not end it', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook('heavy.sh', {}, { timeoutMs: 60_000 }));
    const caller = await rig.podFor(one.job);
    await claimed(desk, one.job, caller);
    await rig.running(caller.pod);
    await turns();

    await pass(89_999);
    const before = await rig.jobNamed(one.job);
    await pass(1);
    const after = await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? 'deleted' : undefined));
    await rig.removePod(caller.pod);

    expect([before !== undefined, after]).toEqual([true, 'deleted']);
    expect(told(await one.execution)).toContain('hook: hook heavy.sh failed: it ran longer than its time limit of 1m');
    expect(one.ended).toMatchObject({ isCutOff: true, error: { ending: { timedOut: true } } });
  });

  it('tells at most 1 MiB of what its hook prints, and how much was dropped', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));

    for (let line = 0; line < 1100; line += 1) desk.output(ticket, [{ stream: 'stdout', line: 'x'.repeat(1000) }]);
    desk.result(ticket, exited());
    await one.execution;

    const bytes = one.lines.slice(0, -1).reduce((sum, line) => sum + line.length - 'stdout '.length, 0);
    expect(bytes).toBeLessThanOrEqual(1024 * 1024);
    expect(bytes).toBeGreaterThan(900_000);
    expect(one.lines.at(-1)).toMatch(
      /^stderr hooklet: the output limit of a run was reached, \d+ more bytes were dropped$/,
    );
  });

  it('tells what a warm hook logs with its level and its fields, within the same limit', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const told: HookOutput[] = [];
    const one = run(jobHook(), { onOutput: (output) => void told.push(output) });
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));
    const fields = { text: 'x'.repeat(100_000) };

    desk.output(ticket, [{ stream: 'stdout', line: 'it is late', entry: { level: 'warn', fields: { minutes: 5 } } }]);
    for (let count = 0; count < 20; count += 1)
      desk.output(ticket, [{ stream: 'stdout', line: '', entry: { level: 'info', fields } }]);

    expect(told[0]).toEqual({ type: 'entry', entry: { level: 'warn', message: 'it is late', fields: { minutes: 5 } } });
    expect(told).toHaveLength(11);
  });

  it('has ended when the API server is there, without which nothing can be applied', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));
    const back = rig.sandbox.faults.add({ type: 'status', code: 503, method: 'GET', path: JOBS });

    desk.result(ticket, exited());
    await pass(60_000);
    const during = one.ended;
    back();
    await pass(30_000);

    expect([during, told(await one.execution)]).toEqual([undefined, 'exited']);
  });

  it('is not applied where another operator has granted it since', async () => {
    const rig = await jobRig();
    const { run, desk, leaving, end } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));
    await rig.patch(`${JOBS}/${one.job}`, { metadata: { annotations: { 'hooklet.dev/epoch': '2' } } });

    desk.result(ticket, exited());
    await pass(60_000);
    const during = one.ended;
    leaving.is = true;
    await end();

    expect([during, told(await one.execution)]).toEqual([undefined, expect.stringContaining('runs on')]);
  });

  it('has what its Pod says of its failure', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook());
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));

    desk.result(ticket, {
      type: 'failed',
      by: 'hook',
      message: 'hook heavy.sh failed: exit code 78',
      exitCode: 78,
      timedOut: false,
      isPermanent: true,
      isCutOff: false,
      cost: { durationMs: 20, maxRssBytes: 7 },
      files: { ...NO_FILES, result: '{}' },
    });

    expect(await one.execution).toMatchObject({
      type: 'failed',
      by: 'hook',
      isPermanent: true,
      cost: { durationMs: 20, usage: { maxRssBytes: 7 } },
      outputs: { patch: '', metrics: '', result: '{}' },
      error: { message: 'hook heavy.sh failed: exit code 78', ending: { exitCode: 78, timedOut: false } },
    });
  });

  it('has its Job kept for its log when it failed, and noted that it was concluded', async () => {
    const rig = await jobRig();
    const { run, desk, executor } = rig.lead();
    const one = run(jobHook('heavy.sh', { keepFailedMs: 600_000 }));
    const caller = await rig.podFor(one.job);
    const ticket = await claimed(desk, one.job, caller);
    await rig.ended(caller.pod, 1);
    await turns();
    await pass(10_000);
    await one.execution;

    executor.concluded(one.runId);

    const job = await soon(async () => {
      const found = await rig.jobNamed(one.job);
      return JSON.stringify(found).includes('hooklet.dev/concluded') ? found : undefined;
    });
    expect(job).toMatchObject({ spec: { ttlSecondsAfterFinished: 600 } });
    expect(await desk.fate(ticket, 0, never)).toEqual({ type: 'ok', value: 'ended' });
  });

  it('has its Job kept no longer than that where another container of its Pod goes on', async () => {
    const rig = await jobRig();
    const { run, desk, executor } = rig.lead();
    const one = run(jobHook('heavy.sh', { keepFailedMs: 600_000 }));
    const ticket = await claimed(desk, one.job, await rig.podFor(one.job));
    await pass(5000);
    desk.result(ticket, failed());
    await one.execution;

    executor.concluded(one.runId);

    await soon(async () => {
      const { spec } = Object(await rig.jobNamed(one.job));
      return spec.activeDeadlineSeconds >= 605 && spec.activeDeadlineSeconds <= 607 ? true : undefined;
    });
  });

  it('does not keep the Job of a failure with keepFailed 0', async () => {
    const rig = await jobRig();
    const { run, desk, executor } = rig.lead();
    const one = run(jobHook('heavy.sh', { keepFailedMs: 0 }));
    const caller = await rig.podFor(one.job);
    await claimed(desk, one.job, caller);
    await rig.ended(caller.pod, 1);
    await turns();
    await pass(10_000);
    await one.execution;

    executor.concluded(one.runId);

    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
  });

  it('gets 410 for all that comes after it was concluded', async () => {
    const rig = await jobRig();
    const { run, desk, executor } = rig.lead();
    const one = run(jobHook());
    const caller = await rig.podFor(one.job);
    const ticket = await claimed(desk, one.job, caller);
    desk.result(ticket, exited());
    await one.execution;
    executor.concluded(one.runId);

    const answers = [
      await desk.claim(one.job, caller, never),
      desk.contexts(ticket),
      desk.output(ticket, []),
      desk.result(ticket, exited()),
    ];

    expect(answers.map(statusOf)).toEqual([410, 410, 410, 410]);
  });
});

describe('the run of a foreign image', () => {
  const sidecar = async (exitCode: number, reason?: string) => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const hook = jobHook('heavy.sh', { agent: 'sidecar', image: 'x' }, { outcome: { later: [3] } });
    const one = run(hook);
    const caller = await rig.podFor(one.job);
    const ticket = await claimed(desk, one.job, caller);
    desk.result(ticket, { type: 'files', files: { ...NO_FILES, patch: '{}', result: '{"reason":"x"}' } });
    await turns();
    const before = one.ended;
    await rig.ended(caller.pod, exitCode, reason);
    await turns();
    await pass(2000);
    return { before, execution: await one.execution };
  };

  it.each([
    [0, 'exited', false],
    [3, 'exited', true],
  ])('with exit code %i is %s by the status of its Pod, later: %s', async (exitCode, type, isLater) => {
    const { before, execution } = await sidecar(exitCode);

    expect(before).toBeUndefined();
    expect(execution).toEqual({
      type,
      cost: { durationMs: 7000, usage: {} },
      outputs: { ...NO_FILES, patch: '{}', result: '{"reason":"x"}' },
      ...(isLater && { isLater }),
    });
  });

  it('fails with the exit code of its Pod, and with what it wrote', async () => {
    const { execution } = await sidecar(78);

    expect(execution).toMatchObject({
      by: 'hook',
      isPermanent: true,
      outputs: { patch: '{}', metrics: '', result: '{"reason":"x"}' },
      error: { message: 'hook heavy.sh failed: exit code 78', ending: { exitCode: 78, timedOut: false } },
    });
  });

  it('that ran out of memory has of its files the result alone', async () => {
    const { execution } = await sidecar(137, 'OOMKilled');

    expect(execution).toMatchObject({
      by: 'hook',
      isCutOff: true,
      outputs: { patch: '', metrics: '', result: '{"reason":"x"}' },
      error: { ending: { exitCode: 137 } },
    });
    expect(told(execution)).toContain('OOMKilled');
  });

  it('that was ended with its Pod is not at fault', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook('heavy.sh', { agent: 'sidecar', image: 'x' }));
    const caller = await rig.podFor(one.job);
    await rig.running(caller.pod);
    const ticket = await claimed(desk, one.job, caller);
    await rig.sandbox.call('DELETE', `/api/v1/namespaces/default/pods/${caller.pod}`);
    desk.result(ticket, { type: 'files', files: NO_FILES });
    await rig.ended(caller.pod, 143);
    await turns();
    await pass(2000);

    expect(told(await one.execution)).toBe(
      `environment: hook heavy.sh failed: the cluster ended the Pod of its Job ${one.job} before it sent a result: it was deleted`,
    );
  });

  it('that could not be read fails by its output, if its hook succeeded', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook('heavy.sh', { agent: 'sidecar', image: 'x' }));
    const caller = await rig.podFor(one.job);
    const ticket = await claimed(desk, one.job, caller);
    desk.result(ticket, { type: 'unreadable', message: '/hooklet/run/object-patch is not a regular file' });
    await rig.ended(caller.pod, 0);
    await turns();
    await pass(2000);

    expect(told(await one.execution)).toBe(
      'output: hook heavy.sh: its output cannot be read: /hooklet/run/object-patch is not a regular file',
    );
  });

  it('is ended at its time limit of 60 s by the operator', async () => {
    const rig = await jobRig();
    const { run, desk } = rig.lead();
    const one = run(jobHook('heavy.sh', { agent: 'sidecar', image: 'x' }, { timeoutMs: 60_000 }));
    const caller = await rig.podFor(one.job);
    await claimed(desk, one.job, caller);
    await pass(20_000);
    await rig.running(caller.pod);
    await turns();
    await pass(59_999);
    const before = await rig.jobNamed(one.job);
    await pass(1);
    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
    await rig.removePod(caller.pod);
    await turns();
    await pass(2000);

    expect(before).toBeDefined();
    expect(told(await one.execution)).toContain('it ran longer than its time limit of 1m (settings.timeout)');
  });

  it('that does not begin within startTimeout after its sidecar has asked fails with the reason of its Pod', async () => {
    const rig = await jobRig();
    const { run, desk, metrics } = rig.lead();
    const one = run(jobHook('heavy.sh', { agent: 'sidecar', image: 'x' }));
    const caller = await rig.podFor(one.job);
    await pass(100_000);
    await claimed(desk, one.job, caller);
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' };
    await rig.podStatus(caller.pod, { phase: 'Pending', ...hookState({ waiting }) });
    await turns();

    await pass(119_999);
    const before = await rig.jobNamed(one.job);
    await pass(1);
    await soon(async () => ((await rig.jobNamed(one.job)) === undefined ? true : undefined));
    await rig.removePod(caller.pod);

    expect(before).toBeDefined();
    expect(told(await one.execution)).toBe(
      `environment: hook heavy.sh failed: the Pod of its Job ${one.job} did not start its hook within 2m (settings.executor.job.startTimeout): container hook: ImagePullBackOff: Back-off pulling image "x"`,
    );
    expect(metricValues(metrics, 'jobs_failed_to_start_total')).toEqual(['{hook="heavy.sh"} 1']);
  });

  it('that has begun goes on where the watch of its Pod is behind', async () => {
    const rig = await jobRig();
    const status = { phase: 'Running', ...hookState({ running: {} }) };
    const { run, desk } = rig.lead({
      withClient: (client) => ({
        chunks: client.chunks.bind(client),
        request: async (request, signal) => {
          const answer = await client.request(request, signal);
          return request.method === 'GET' && request.path.includes('/pods/') ? { ...Object(answer), status } : answer;
        },
      }),
    });
    const one = run(jobHook('heavy.sh', { agent: 'sidecar', image: 'x' }));
    await claimed(desk, one.job, await rig.podFor(one.job));
    await pass(300_000);

    expect(one.ended).toBeUndefined();
    expect(await rig.jobNamed(one.job)).toBeDefined();
  });
});
