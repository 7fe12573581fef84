import { type Done, type Lock, readReport } from './report.ts';
import { podsOf, type SeenJob, type SeenPod } from './seen.ts';

/** What is known of one Job: how it stands, and why. */
export interface Attempt {
  readonly job: string;
  readonly task: string;
  readonly outcome: 'Waiting' | 'Running' | 'Succeeded' | 'Failed';
  readonly reason: string;
  readonly message: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly done?: Done;
  readonly lock?: Lock;
}

/** Reads a Job with its Pods; `before` is what was known of it. */
export function attemptOf(job: SeenJob, all: readonly SeenPod[], before: Attempt | undefined): Attempt {
  const pods = podsOf(job, all);
  const last = pods.at(-1);
  const known = { job: job.name, task: job.task, startedAt: job.created, endedAt: job.endedAt };
  switch (job.end) {
    case 'Complete':
      return { ...known, ...completed(pods, before) };
    case 'Failed':
      return { ...known, ...failed(job, pods, before) };
    default:
      return { ...known, endedAt: '', ...underWay(last, job, before) };
  }
}

type Standing = Pick<Attempt, 'outcome' | 'reason' | 'message' | 'done' | 'lock'>;

/** Complete alone is no success: the report has to say so. Of a Pod that is gone, what was known before counts. */
function completed(pods: readonly SeenPod[], before: Attempt | undefined): Standing {
  const good = pods.flatMap(({ ended }) => (ended?.exitCode === 0 ? [ended] : []))[0];
  if (good === undefined) {
    if (before?.outcome === 'Succeeded') return before;
    const message = 'its Pod is gone, and with it what it said: look into the bucket';
    return { outcome: 'Failed', reason: 'NoReport', message };
  }
  const report = readReport(good);
  return { ...report, outcome: report.done === undefined ? 'Failed' : 'Succeeded' };
}

function failed(job: SeenJob, pods: readonly SeenPod[], before: Attempt | undefined): Standing {
  const ended = pods.flatMap((pod) => pod.ended ?? []).at(-1);
  if (ended !== undefined && ended.exitCode !== 0) return { ...readReport(ended), outcome: 'Failed' };
  // The Pods of a Job that was given up are gone; what they waited for is known from then.
  if (before !== undefined && before.reason !== '') return { ...before, outcome: 'Failed' };
  const { endReason, endMessage } = job;
  return { outcome: 'Failed', reason: endReason === '' ? 'JobFailed' : endReason, message: endMessage };
}

function underWay(pod: SeenPod | undefined, job: SeenJob, before: Attempt | undefined): Standing {
  if (pod === undefined) {
    if (before !== undefined && before.outcome !== 'Succeeded' && before.reason !== '') return before;
    return { outcome: 'Waiting', reason: '', message: `Job ${job.name} has no Pod yet` };
  }
  if (pod.runningSince !== '') {
    return { outcome: 'Running', reason: '', message: '', lock: { holder: pod.name, since: pod.runningSince } };
  }
  if (pod.ended !== null && pod.ended.exitCode !== 0) return { ...readReport(pod.ended), outcome: 'Running' };
  if (pod.waitReason === '') return { outcome: 'Waiting', reason: '', message: `Pod ${pod.name} is being started` };
  return { outcome: 'Waiting', ...whyNotStarted(pod) };
}

const GONE: readonly (readonly [RegExp, string, string])[] = [
  [/persistentvolumeclaim "([^"]+)" not found/, 'VolumeMissing', 'make the claim, or correct spec.source.volume'],
  [
    /persistentvolumeclaim "([^"]+)" is being deleted/,
    'VolumeMissing',
    'make the claim anew, or correct spec.source.volume',
  ],
  [/secret "([^"]+)" not found/, 'SecretMissing', 'make the Secret, or correct the secretName'],
  [/couldn't find key (\S+) in Secret/, 'SecretIncomplete', 'add the key to the Secret'],
  [
    /ImagePullBackOff|ErrImagePull|InvalidImageName/,
    'ImageMissing',
    'look at the name of the image, and at imagePullSecrets',
  ],
];

function whyNotStarted({ name, waitReason, waitMessage }: SeenPod): Pick<Standing, 'reason' | 'message'> {
  const said = `${waitReason}: ${waitMessage}`;
  const [, reason, advice] = GONE.find(([pattern]) => pattern.test(said)) ?? [
    undefined,
    'PodNotStarted',
    'look at the Pod',
  ];
  return { reason, message: `Pod ${name} does not start: ${advice}: ${said.slice(0, 500)}` };
}
