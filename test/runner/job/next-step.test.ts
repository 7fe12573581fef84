import { expect, it } from 'vitest';
import type { RemoteResult } from '../../../src/hook/remote-run.ts';
import { nextStep, type RunView } from '../../../src/runner/job/next-step.ts';
import type { PodState, SeenPod } from '../../../src/runner/job/pod-state.ts';
import { NOTHING_SEEN, withJob, withPod, type Sight } from '../../../src/runner/job/sight.ts';
import type { JobState } from '../../../src/runner/job/job-state.ts';
import { NO_FILES } from '../../support/job-executor-rig.ts';

const job: JobState = {
  namespace: 'n',
  name: 'j',
  uid: 'u',
  resourceVersion: '1',
  createdAtMs: 0,
  facts: undefined,
  grant: { epoch: 0 },
  isSuspended: false,
  isConcluded: false,
  isDeleting: false,
  failure: undefined,
};
const running: PodState = { type: 'running' };
const disrupted = (isOver: boolean): PodState => ({ type: 'disrupted', why: 'Evicted', isOver });
const files: RemoteResult = { type: 'files', files: NO_FILES };

/** The Job since 0, and a Pod since 1000. */
function sight(fields: Partial<JobState> = {}, state?: PodState): Sight {
  const begun = withJob(NOTHING_SEEN, { ...job, ...fields }, 0);
  const pod: SeenPod = {
    namespace: 'n',
    name: 'p',
    uid: 'u',
    job: undefined,
    hook: '',
    isDeleting: false,
    graceMs: 30_000,
    state: state ?? running,
  };
  return state === undefined ? begun : withPod(begun, pod, 1000);
}

const gone = (): Sight => withPod(sight({}, running), undefined, 2000);
const view = (fields: Partial<RunView>): RunView => ({
  nowMs: 5000,
  facts: { agent: 'image', startTimeoutMs: 120_000 },
  sight: sight(),
  claimedAtMs: undefined,
  isHeard: true,
  result: undefined,
  ...fields,
});
const step = (fields: Partial<RunView>): string => {
  const next = nextStep(view(fields));
  return next.type === 'wait' ? `wait ${next.untilMs}` : next.end.type;
};

it.each<readonly [string, Partial<RunView>, string]>([
  ['nothing is seen of it', { sight: NOTHING_SEEN }, 'wait undefined'],
  ['it may start', {}, 'wait 120000'],
  ['it is suspended', { sight: sight({ isSuspended: true }) }, 'wait undefined'],
  ['it is late', { nowMs: 120_000 }, 'notStarted'],
  ['its Job is being deleted', { sight: sight({ isDeleting: true }) }, 'deleted'],
  ['its Job failed without a Pod', { sight: sight({ failure: 'x' }) }, 'notStarted'],
  ['its Job failed while its Pod runs', { sight: sight({ failure: 'x' }, running) }, 'wait 120000'],
  ['its Pod is evicted', { sight: sight({}, disrupted(true)) }, 'disrupted'],
  ['its Pod is being evicted', { sight: sight({}, disrupted(false)) }, 'wait 120000'],
  ['its Pod is gone, and another may come', { sight: gone() }, 'wait 120000'],
])('a run that nobody has claimed, when %s: %j', (_what, fields, next) => {
  expect(step(fields)).toBe(next);
});

const timed = { agent: 'image', startTimeoutMs: 1, timeoutMs: 60_000 } as const;

it.each<readonly [string, Partial<RunView>, string]>([
  ['it runs without a time limit', { sight: sight({}, running) }, 'wait undefined'],
  [
    'it was taken over and says nothing',
    { sight: sight({}, running), isHeard: false },
    `wait ${24 * 3_600_000 + 3000}`,
  ],
  ['its agent has the time limit', { sight: sight({}, running), facts: timed }, 'wait 93000'],
  ['its agent does not keep it', { sight: sight({}, running), facts: timed, nowMs: 93_000 }, 'overtime'],
  [
    'the operator has the time limit, from when the hook began at 1000',
    { sight: sight({}, running), facts: { ...timed, agent: 'sidecar' } },
    'wait 61000',
  ],
  ['it has ended in time', { sight: sight({}, disrupted(true)), facts: timed, nowMs: 93_000 }, 'disrupted'],
  ['its Pod is over', { sight: sight({}, disrupted(true)) }, 'wait 11000'],
  ['its Pod is doomed', { sight: sight({}, disrupted(false)) }, 'wait 61000'],
  ['its Pod does not end', { sight: sight({}, disrupted(false)), nowMs: 71_000 }, 'disrupted'],
  ['its Pod is gone', { sight: gone(), nowMs: 12_000 }, 'gone'],
  ['its Job is gone, and its Pod runs', { sight: withJob(sight({}, running), undefined, 2000) }, 'wait undefined'],
  ['both are gone', { sight: withJob(gone(), undefined, 2000), nowMs: 12_000 }, 'deleted'],
  ['its Pod was never seen', { sight: sight() }, 'wait undefined'],
])('a run that was claimed at 3000, when %s: %j', (_what, fields, next) => {
  expect(step({ claimedAtMs: 3000, ...fields })).toBe(next);
});

it.each<readonly [string, Partial<RunView>, string]>([
  ['while the hook runs', { sight: sight({}, running) }, 'wait 34000'],
  [
    'when it has ended',
    { sight: sight({}, { type: 'ended', exit: { exitCode: 0, reason: '', message: '' } }) },
    'files',
  ],
  ['when its Pod is gone', { sight: gone() }, 'wait 32000'],
  ['when its exit code does not come', { sight: gone(), nowMs: 32_000 }, 'gone'],
])('the files of a sidecar at 4000 %s: %j', (_what, fields, next) => {
  expect(step({ claimedAtMs: 3000, result: { result: files, atMs: 4000 }, ...fields })).toBe(next);
});
