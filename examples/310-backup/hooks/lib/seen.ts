// What the hook sees of Jobs and Pods: the filters, and what they make.
import { TASK_LABEL, UID_LABEL } from './spec.ts';

const labels = '(.metadata.labels // {})';

export const JOB_FILTER = jobFilter(UID_LABEL);
export const POD_FILTER = podFilter(UID_LABEL);

/** A Job, as `JOB_FILTER` shows it. */
export interface SeenJob {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly backupUid: string;
  readonly task: string;
  readonly created: string;
  readonly deleting: boolean;
  readonly deadline: number | null;
  /** Whether the Job counts a Pod, and one that runs. */
  readonly counts: boolean;
  readonly ready: boolean;
  /** `Complete`, `Failed` or empty, with the reason and the time of that. */
  readonly end: string;
  readonly endReason: string;
  readonly endMessage: string;
  readonly endedAt: string;
}

/** A Pod, as `POD_FILTER` shows it. */
export interface SeenPod {
  readonly name: string;
  readonly uid: string;
  readonly job: string;
  readonly jobUid: string;
  readonly backupUid: string;
  readonly task: string;
  readonly created: string;
  /** Whether it will do nothing more. */
  readonly over: boolean;
  /** Whether any of its containers has begun. */
  readonly began: boolean;
  /** Whether the engine runs now; since when. */
  readonly runningSince: string;
  /** Why it is not scheduled, or why its containers do not start. */
  readonly waitReason: string;
  readonly waitMessage: string;
  /** The container that ended last, with what it left; a failed one comes first. */
  readonly ended: EndedContainer | null;
}

export interface EndedContainer {
  readonly container: string;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly at: string;
}

/** The filter of Jobs that say in this label, by its uid, which object they are of. */
export function jobFilter(uidLabel: string): string {
  return `
((.status.conditions // []) | map(select(.status == "True" and (.type == "Complete" or .type == "Failed"))) | first) as $end
| {
    name: .metadata.name, namespace: .metadata.namespace, uid: .metadata.uid, created: .metadata.creationTimestamp,
    backupUid: (${labels}["${uidLabel}"] // ""), task: (${labels}["${TASK_LABEL}"] // ""),
    deleting: (.metadata.deletionTimestamp != null), deadline: .spec.activeDeadlineSeconds,
    counts: ((.status // {}) | (.active // 0) + (.failed // 0) + (.succeeded // 0) > 0),
    ready: ((.status.ready // 0) > 0),
    end: ($end.type // ""), endReason: ($end.reason // ""), endMessage: ($end.message // ""),
    endedAt: (.status.completionTime // $end.lastTransitionTime // "")
  }`;
}

/** The filter of their Pods. */
export function podFilter(uidLabel: string): string {
  return `
((.status.initContainerStatuses // []) + (.status.containerStatuses // [])) as $all
| ([$all[] | select(.state.terminated) | {container: .name, exitCode: .state.terminated.exitCode,
    reason: (.state.terminated.reason // ""), message: ((.state.terminated.message // "")[:4096]),
    at: (.state.terminated.finishedAt // "")}]) as $ended
| ([(.status.conditions // [])[] | select(.type == "PodScheduled" and .status == "False")] | first) as $held
| ([$all[].state.waiting | select(. != null and .reason != "PodInitializing" and .reason != "ContainerCreating")] | first) as $waits
| {
    name: .metadata.name, uid: .metadata.uid, created: .metadata.creationTimestamp,
    job: (${labels}["batch.kubernetes.io/job-name"] // ""),
    jobUid: (${labels}["batch.kubernetes.io/controller-uid"] // ""),
    backupUid: (${labels}["${uidLabel}"] // ""), task: (${labels}["${TASK_LABEL}"] // ""),
    over: (.status.phase == "Succeeded" or .status.phase == "Failed"),
    began: any($all[]; .state.running or .state.terminated),
    runningSince: ([$all[] | select(.name == "engine") | .state.running.startedAt // empty] | first // ""),
    waitReason: ($held.reason // $waits.reason // ""), waitMessage: ($held.message // $waits.message // ""),
    ended: (([$ended[] | select(.exitCode != 0)] | first) // ([$ended[] | select(.container == "engine")] | first) // null)
  }`;
}

/** The Pods of a Job, the newest last; not those of one before it that had its name. */
export function podsOf(job: SeenJob, pods: readonly SeenPod[]): readonly SeenPod[] {
  const own = pods.filter((pod) => pod.job === job.name && pod.created >= job.created);
  const ofIt = own.filter(({ jobUid }) => jobUid === '' || jobUid === job.uid);
  return ofIt.toSorted((a, b) => (a.created < b.created ? -1 : 1));
}
