import { expect, it } from 'vitest';
import { judgeFound, type JudgeParts } from '../../../src/runner/job/found-job.ts';
import type { JobFacts } from '../../../src/runner/job/job-facts.ts';
import { sealedText } from '../../../src/runner/job/job-seal.ts';
import type { JobState } from '../../../src/runner/job/job-state.ts';
import type { PodState, SeenPod } from '../../../src/runner/job/pod-state.ts';

const FACTS: JobFacts = {
  runId: 'r1',
  attempt: 1,
  hook: 'heavy.sh',
  hookHash: 'h',
  type: 'process',
  plainExitCodes: false,
  agent: 'image',
  startTimeoutMs: 1,
  keepFailedMs: 1,
};
const JOB: JobState = {
  namespace: 'hooklet',
  name: 'hooklet-run-r1',
  uid: 'job',
  resourceVersion: '1',
  createdAtMs: 0,
  facts: FACTS,
  grant: { epoch: 1, podUid: 'pod' },
  isSuspended: false,
  isConcluded: false,
  isDeleting: false,
  failure: undefined,
};
const PARTS: JudgeParts = { namespace: 'hooklet', seal: (text) => `sealed ${text}`, isKnown: () => false };
const seal = PARTS.seal?.(sealedText({ uid: 'job', podUid: 'pod', epoch: 1, facts: FACTS })) ?? '';

function podThat(state: PodState): SeenPod {
  const job = { name: JOB.name, uid: JOB.uid };
  return { namespace: 'hooklet', name: 'p', uid: 'pod', job, hook: '', isDeleting: false, graceMs: 1, state };
}

const running = podThat({ type: 'running' });
const ended = podThat({ type: 'ended', exit: { reason: '', message: '' } });
const elsewhere: Partial<JobState> = { namespace: 'tenant' };

it.each<readonly [string, Partial<JobState>, readonly SeenPod[], string]>([
  ['whose Pod runs', {}, [running], 'runs'],
  ['whose Pod has ended', {}, [ended], 'useless'],
  ['whose Pod is not there', {}, [], 'useless'],
  ['whose run nobody has claimed', { grant: { epoch: 0 } }, [running], 'useless'],
  ['whose outcome was recorded', { isConcluded: true }, [running], 'past'],
  ['that is being deleted', { isDeleting: true }, [running], 'past'],
  ['without the facts of a run', { facts: undefined }, [running], 'foreign'],
  ['whose name is not that of its run', { name: 'hooklet-run-r2' }, [running], 'foreign'],
  ['elsewhere without a seal', elsewhere, [running], 'useless'],
  ['elsewhere with its seal', { ...elsewhere, grant: { ...JOB.grant, seal } }, [running], 'runs'],
  [
    'elsewhere with the seal of another epoch',
    { ...elsewhere, grant: { epoch: 2, podUid: 'pod', seal } },
    [running],
    'useless',
  ],
  [
    'elsewhere with the seal of another Job',
    { ...elsewhere, uid: 'other', grant: { ...JOB.grant, seal } },
    [running],
    'useless',
  ],
  [
    'elsewhere with the seal of other facts',
    { ...elsewhere, facts: { ...FACTS, hook: 'b' }, grant: { ...JOB.grant, seal } },
    [running],
    'useless',
  ],
])('a Job %s is judged so: %j', (_what, fields, pods, type) => {
  expect(judgeFound({ ...JOB, ...fields }, pods, PARTS).type).toBe(type);
});

it('a Job with the id of a run that is known is none of hooklet', () => {
  expect(judgeFound(JOB, [running], { ...PARTS, isKnown: () => true }).type).toBe('foreign');
});
