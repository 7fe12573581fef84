import type { KubernetesObject, Patch, ReconcileRun } from 'hooklet';
import { asFields } from './report.ts';
import { podsOf, type SeenJob, type SeenPod } from './seen.ts';

/** Neither a clock that is wrong nor a list from the past ends a Job that was not watched for this long. */
const WATCHED_SECONDS = 60;
/** A look that an event brings forward is not counted, so no look is further away than this. */
const LOOK_SECONDS = 15;
/** How many Pods are remembered at most. */
const MAX_KNOWN = 1000;
/** For how many seconds each Pod was watched, as only a run that was asked for has the look before. */
const watchedSoFar = new Map<string, number>();

/** Which Jobs wait for their Pod to begin: for how long they were watched, and when to look again, in seconds. */
export interface Waits {
  readonly again: number;
  readonly watched: Readonly<Record<string, number>>;
}

/** What the look before has seen, where this one was due after it and nothing has happened in between. */
export function waitsBefore({ reason, attempt, previous }: Again): Waits | undefined {
  const { again, watched } = asFields(previous);
  if (reason !== 'again' || attempt !== 1 || typeof again !== 'number') return undefined;
  const numbers = Object.entries(asFields(watched)).filter((entry): entry is [string, number] => Number(entry[1]) >= 0);
  return { again, watched: Object.fromEntries(numbers) };
}

/** The Jobs whose Pod has not begun within `limit` seconds, so that the next tick is not held up. */
export function lateJobs(limit: number, { jobs, pods, before }: LateParts): Late {
  const waiting = jobs.filter((job) => job.end === '' && !job.deleting && job.deadline !== 1 && !began(job, pods));
  if (waiting.length === 0) return { late: [] };
  const least = Math.min(limit, WATCHED_SECONDS);
  const all = waiting.map((job) => {
    const key = keyOf(job, pods);
    const known = before?.watched[key];
    const watched = known === undefined || before === undefined ? (watchedSoFar.get(key) ?? 0) : known + before.again;
    remember(key, watched);
    // By whichever clock more time has passed, that of the API server or that of this operator.
    const age = Math.max(watched, (Date.now() - Date.parse(startOf(job, pods))) / 1000);
    return { job, key, watched, left: Math.ceil(Math.max(limit - age, least - watched)) };
  });
  const late = all.filter(({ job, left }) => left <= 0 && isSeen(job, pods)).map(({ job }) => job);
  const again = Math.min(
    ...all.map(({ left, watched }) => {
      const due = left > 0 ? left : least;
      return watched < least ? Math.min(due, LOOK_SECONDS) : due;
    }),
  );
  return { late, waits: { again, watched: Object.fromEntries(all.map(({ key, watched }) => [key, watched])) } };
}

export interface Late {
  /** Those to be ended now. */
  readonly late: readonly SeenJob[];
  /** Undefined where no Job waits. */
  readonly waits?: Waits;
}

export interface LateParts {
  readonly jobs: readonly SeenJob[];
  readonly pods: readonly SeenPod[];
  readonly before: Waits | undefined;
}

type Again = Pick<ReconcileRun<KubernetesObject>, 'reason' | 'attempt' | 'previous'>;

/**
 * Ends a Job by its deadline. The API server is asked for it as it is now, and it is left alone where its Pod is ready
 * after all.
 */
export function endJob({ namespace, name, uid }: SeenJob, patch: Patch): void {
  const isSame = `.metadata.uid == ${JSON.stringify(uid)} and (.status | (.ready // 0) + (.succeeded // 0)) == 0`;
  const isOver = 'any(.status.conditions[]?; .status == "True" and (.type == "Complete" or .type == "Failed"))';
  patch.jq(
    { apiVersion: 'batch/v1', kind: 'Job', namespace, name },
    `if ${isSame} and (${isOver} | not) then .spec.activeDeadlineSeconds = 1 else . end`,
    { ignoreMissingObject: true },
  );
}

function remember(key: string, watched: number): void {
  watchedSoFar.delete(key);
  watchedSoFar.set(key, watched);
  const [oldest = key] = watchedSoFar.keys();
  if (watchedSoFar.size > MAX_KNOWN) watchedSoFar.delete(oldest);
}

function began(job: SeenJob, pods: readonly SeenPod[]): boolean {
  return job.ready || newest(job, pods)?.began === true;
}

/** False if the Job's status counts a Pod that the list does not contain: then the list is stale. */
function isSeen(job: SeenJob, pods: readonly SeenPod[]): boolean {
  return !job.counts || newest(job, pods) !== undefined;
}

/** Each Pod of a Job has the time anew. */
function startOf(job: SeenJob, pods: readonly SeenPod[]): string {
  return newest(job, pods)?.created ?? job.created;
}

function keyOf(job: SeenJob, pods: readonly SeenPod[]): string {
  return newest(job, pods)?.uid ?? job.uid;
}

function newest(job: SeenJob, pods: readonly SeenPod[]): SeenPod | undefined {
  return podsOf(job, pods).at(-1);
}
