import { expect, it } from 'vitest';
import type { KubeClient, KubeRequest } from '../../../src/kube/client.ts';
import { claimed, exited, hookState, jobHook, jobRig, NO_FILES, pass, turns } from '../../support/job-executor-rig.ts';

const LOG = [
  ['2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:00.2Z tw', 'o\n2026-01-01T00:00:00.3Z th'],
  [
    '2026-01-01T00:00:00.1Z one\n2026-01-01T00:00:00.2Z two\n2026-01-01T00:00:00.3Z three\n',
    '2026-01-01T00:00:01Z last',
  ],
];

it('the log of a foreign image is followed from the claim on, across breaks and without repetition', async () => {
  const rig = await jobRig();
  const asked: KubeRequest[] = [];
  const logs = LOG.values();
  const withLog = (client: Pick<KubeClient, 'request' | 'chunks'>) => ({
    request: client.request,
    async *chunks(request: KubeRequest) {
      asked.push(request);
      const { value: chunks = [] } = logs.next();
      for (const chunk of chunks) yield Buffer.from(chunk);
      if (asked.length === 1) throw new Error('the connection broke');
    },
  });
  const { run, desk } = rig.lead({ withClient: withLog });
  const one = run(jobHook('heavy.sh', { agent: 'sidecar', image: 'x' }));
  const caller = await rig.podFor(one.job);
  const ticket = await claimed(desk, one.job, caller);
  await rig.podStatus(caller.pod, { phase: 'Pending', ...hookState({ waiting: { reason: 'PodInitializing' } }) });
  await turns();
  const before = asked.length;
  await rig.running(caller.pod);
  await turns();
  await pass(1000);
  desk.result(ticket, { type: 'files', files: NO_FILES });
  await rig.ended(caller.pod, 0);
  await one.execution;

  expect(before).toBe(0);
  expect(asked.map(({ path, query }) => [path.split('/').slice(-3).join('/'), query?.['sinceTime']])).toEqual([
    [`pods/${caller.pod}/log`, undefined],
    [`pods/${caller.pod}/log`, '2026-01-01T00:00:00.2Z'],
  ]);
  expect(asked[0]?.query).toMatchObject({ container: 'hook', follow: 'true' });
  expect(one.lines).toEqual(['stdout one', 'stdout two', 'stdout three', 'stdout last']);
});

it('an image with hooklet in it sends its own lines, so no log is asked for', async () => {
  const rig = await jobRig();
  const { run, desk } = rig.lead();
  const one = run(jobHook());
  const caller = await rig.podFor(one.job);
  const ticket = await claimed(desk, one.job, caller);
  await rig.running(caller.pod);
  await turns();
  desk.result(ticket, exited());
  await one.execution;

  expect(rig.sandbox.requests.filter(({ path }) => path.endsWith('/log'))).toEqual([]);
});
