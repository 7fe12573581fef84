import { asJsonObject, text, type KubeObject } from '../../kube/object.ts';
import { JOB_CONTAINERS } from '../../hook/job-desk.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { shownText } from '../../lib/shown.ts';
import { JOB_LABELS } from './job-facts.ts';
import { timeOf } from './job-state.ts';

/** What a Pod says of the run in it. */
export type PodState =
  /** The hook has not begun; the reason is the Pod's own. */
  | { readonly type: 'pending'; readonly reason: string }
  | { readonly type: 'running' }
  | { readonly type: 'ended'; readonly exit: PodExit }
  /** The cluster ends it, or has; while it is not over, the hook may still run. */
  | { readonly type: 'disrupted'; readonly why: string; readonly isOver: boolean; readonly exit?: PodExit };

/** How the container with the hook ended. */
export interface PodExit {
  /** Absent where it never ran, or where the kubelet does not know. */
  readonly exitCode?: number;
  /** Such as `OOMKilled`; empty where there is none. */
  readonly reason: string;
  readonly message: string;
  readonly durationMs?: number;
}

/** A Pod of a Job, as it was seen. */
export interface SeenPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The Job that made it; undefined for another Pod. */
  readonly job: { readonly name: string; readonly uid: string } | undefined;
  /** The label of the hook; empty for another Pod. */
  readonly hook: string;
  readonly isDeleting: boolean;
  /** How long it may go on after it was told to end. */
  readonly graceMs: number;
  readonly state: PodState;
}

/** Reads a Pod as the API server has it. */
export function seenPod({ value }: Pick<KubeObject, 'value'>): SeenPod {
  const metadata = asJsonObject(value['metadata']);
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const grace = deletionGracePeriodSeconds ?? asJsonObject(value['spec'])['terminationGracePeriodSeconds'];
  return {
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    job: jobOf(metadata),
    hook: text(asJsonObject(metadata['labels'])[JOB_LABELS.hook]),
    isDeleting: deletionTimestamp !== undefined,
    graceMs: (typeof grace === 'number' ? grace : 30) * 1000,
    state: podState(value),
  };
}

/** Whether nothing of the hook can run in it any more. */
export function isOver({ state }: Pick<SeenPod, 'state'>): boolean {
  return state.type === 'ended' || (state.type === 'disrupted' && state.isOver);
}

function jobOf(metadata: JsonObject): SeenPod['job'] {
  const job = objects(metadata['ownerReferences']).find(
    ({ kind, controller }) => kind === 'Job' && controller === true,
  );
  return job === undefined ? undefined : { name: text(job['name']), uid: text(job['uid']) };
}

/** Reads the state of a Pod: of its conditions, its containers and its end, the one that says most. */
export function podState(pod: JsonObject): PodState {
  const status = asJsonObject(pod['status']);
  const hook = asJsonObject(containerNamed(status, JOB_CONTAINERS.hook)['state']);
  const isFinal = ['Failed', 'Succeeded'].includes(text(status['phase']));
  const exit = exitOf(status, hook, isFinal);
  const why = disruptionOf(pod, status, isFinal);
  if (why !== undefined)
    return { type: 'disrupted', why, isOver: isFinal || exit !== undefined, ...(exit && { exit }) };
  if (exit !== undefined) return { type: 'ended', exit };
  if (isObject(hook['running'])) return { type: 'running' };
  return { type: 'pending', reason: pendingReason(status) };
}

function exitOf(status: JsonObject, hook: JsonObject, isFinal: boolean): PodExit | undefined {
  const { terminated } = hook;
  if (isObject(terminated)) return exitOfContainer(terminated);
  if (!isFinal) return undefined;
  const init = objects(status['initContainerStatuses']).find(hasFailed);
  if (init === undefined) return { reason: text(status['reason']), message: shownText(text(status['message'])) };
  const { exitCode, reason } = asJsonObject(asJsonObject(init['state'])['terminated']);
  const message = `init container ${text(init['name'])} ended with exit code ${String(exitCode)}`;
  return { reason: text(reason), message };
}

function exitOfContainer(terminated: JsonObject): PodExit {
  const { exitCode, reason, message, startedAt, finishedAt } = terminated;
  const [begin, end] = [timeOf(startedAt), timeOf(finishedAt)];
  // `Completed` and `Error` say no more than the exit code.
  const own = ['Completed', 'Error'].includes(text(reason)) ? '' : text(reason);
  return {
    ...(typeof exitCode === 'number' && { exitCode }),
    reason: own,
    message: shownText(text(message)),
    ...(begin !== undefined && end !== undefined && { durationMs: Math.max(0, end - begin) }),
  };
}

function hasFailed({ state }: JsonObject): boolean {
  const { terminated } = asJsonObject(state);
  return isObject(terminated) && terminated['exitCode'] !== 0;
}

const DISRUPTIONS = new Set(['Evicted', 'NodeLost', 'NodeShutdown', 'Terminated', 'Preempting', 'Shutdown']);

function disruptionOf(pod: JsonObject, status: JsonObject, isFinal: boolean): string | undefined {
  const target = conditionOf(status, 'DisruptionTarget');
  const isDeleting = asJsonObject(pod['metadata'])['deletionTimestamp'] !== undefined;
  const said = saidBy(text(status['reason']), text(status['message']));
  if (DISRUPTIONS.has(text(status['reason']))) return said;
  // The condition alone is withdrawn where nothing follows.
  if (target?.['status'] === 'True' && (isFinal || isDeleting)) {
    return saidBy(text(target['reason']), text(target['message']));
  }
  return isDeleting ? 'it was deleted' : undefined;
}

/** What a Pod waits for that has not begun. */
function pendingReason(status: JsonObject): string {
  const scheduled = conditionOf(status, 'PodScheduled');
  if (scheduled?.['status'] === 'False') return saidBy(text(scheduled['reason']), text(scheduled['message']));
  for (const list of ['initContainerStatuses', 'containerStatuses']) {
    const reason = objects(status[list])
      .map(waitingReason)
      .find((one) => one !== undefined);
    if (reason !== undefined) return reason;
  }
  const init = objects(status['initContainerStatuses']).find(({ state }) => isObject(asJsonObject(state)['running']));
  return init === undefined ? 'its containers are not created yet' : `init container ${text(init['name'])} runs`;
}

const USUAL = new Set(['', 'ContainerCreating', 'PodInitializing']);

function waitingReason({ name, state }: JsonObject): string | undefined {
  const { reason, message } = asJsonObject(asJsonObject(state)['waiting']);
  return USUAL.has(text(reason)) ? undefined : `container ${text(name)}: ${saidBy(text(reason), text(message))}`;
}

function saidBy(reason: string, message: string): string {
  return message === '' ? reason : `${reason === '' ? '' : `${reason}: `}${shownText(message)}`;
}

function containerNamed(status: JsonObject, name: string): JsonObject {
  return objects(status['containerStatuses']).find((one) => one['name'] === name) ?? {};
}

function conditionOf(status: JsonObject, type: string): JsonObject | undefined {
  return objects(status['conditions']).find((one) => one['type'] === type);
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
