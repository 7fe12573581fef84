import type { V1Container, V1Pod } from '@kubernetes/client-node';
import { unreachable } from '../../../src/lib/unreachable.ts';

/** The state of a container in its life. */
export type ContainerState =
  | { readonly type: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly type: 'running'; readonly startedAt: string }
  | Terminated;

/** The state of a container that has ended, as its status gives it. */
export interface Terminated {
  readonly type: 'terminated';
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly containerID: string;
}

/** Everything that a kubelet knows about a container. */
export interface ContainerRecord {
  readonly container: V1Container;
  /** A sidecar is an init container that is always restarted. */
  readonly role: 'init' | 'sidecar' | 'main';
  readonly state: ContainerState;
  readonly lastState?: Terminated;
  readonly restartCount: number;
  readonly ready: boolean;
  readonly started: boolean;
  readonly containerID?: string;
}

/** Everything that a kubelet knows about a pod. */
export interface PodRecord {
  readonly pod: V1Pod;
  readonly containers: readonly ContainerRecord[];
  readonly podIp?: string;
  readonly hostIp: string;
  readonly startTime: string;
  /** Why the node ended the pod: Evicted or DeadlineExceeded. */
  readonly failure?: { readonly reason: string; readonly message: string };
  /** Whether the pod is being stopped. */
  readonly isStopping: boolean;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string | null;
  readonly message?: string | null;
  readonly lastTransitionTime: string;
}

export interface PodStatus {
  readonly phase: Phase;
  readonly conditions: readonly Condition[];
  readonly [field: string]: unknown;
}

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** The status of a pod as a kubelet writes it; a condition whose status does not change keeps its time. */
export function podStatus(record: PodRecord, previous: readonly Condition[], now: string): PodStatus {
  const { pod, containers, podIp, hostIp, startTime, failure } = record;
  const phase = phaseOf(record);
  const statuses = (roles: readonly string[]): readonly object[] =>
    containers.filter(({ role }) => roles.includes(role)).map(containerStatus);
  const initStatuses = statuses(['init', 'sidecar']);
  return {
    phase,
    conditions: conditionsOf(record, phase).map((condition) => {
      const before = previous.find(({ type }) => type === condition.type);
      const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
      // A strategic merge patch removes an earlier field only if it is null.
      return { reason: null, message: null, ...condition, lastTransitionTime };
    }),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    startTime,
    observedGeneration: pod.metadata?.generation,
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
    ...(failure !== undefined && { reason: failure.reason, message: failure.message }),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statuses(['main']),
  };
}

/** Whether a container is restarted after this exit code. */
export function restartsAfter(policy: string, exitCode: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function phaseOf({ pod, containers, failure, isStopping }: PodRecord): Phase {
  if (failure !== undefined) return 'Failed';
  const policy = policyOf(pod);
  const inits = containers.filter(({ role }) => role === 'init');
  const mains = containers.filter(({ role }) => role === 'main');
  if (inits.some(({ state }) => isFailed(state)) && policy === 'Never') return 'Failed';
  const isFinal = ({ state }: ContainerRecord): boolean =>
    state.type === 'terminated' && (isStopping || !restartsAfter(policy, state.exitCode));
  const isAnyRunning = (records: readonly ContainerRecord[]): boolean =>
    records.some(({ state }) => state.type === 'running');
  const lingers = isAnyRunning(containers.filter(({ role }) => role === 'sidecar'));
  if (mains.every(isFinal) && !lingers) return outcomeOf(mains);
  if (isStopping && !isAnyRunning(containers)) return 'Failed';
  return mains.some(wasStarted) ? 'Running' : 'Pending';
}

/** The restart policy of a pod. */
export function policyOf({ spec }: V1Pod): string {
  return spec?.restartPolicy ?? 'Always';
}

function outcomeOf(mains: readonly ContainerRecord[]): Phase {
  return mains.some(({ state }) => isFailed(state)) ? 'Failed' : 'Succeeded';
}

function wasStarted({ state, lastState }: ContainerRecord): boolean {
  return state.type !== 'waiting' || lastState !== undefined;
}

function isFailed(state: ContainerState): boolean {
  return state.type === 'terminated' && state.exitCode !== 0;
}

type NewCondition = Omit<Condition, 'lastTransitionTime'>;

function conditionsOf({ pod, containers, podIp }: PodRecord, phase: Phase): readonly NewCondition[] {
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const uninitialized = containers.filter((record) => !isInitialized(record)).map(({ container }) => container.name);
  const unready = containers
    .filter(({ role, ready }) => role !== 'init' && !ready)
    .map(({ container }) => container.name);
  const initialized = condition('Initialized', uninitialized.length === 0, {
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${uninitialized.join(' ')}]`,
  });
  const completed = phase === 'Succeeded' ? { reason: 'PodCompleted' } : undefined;
  const notReady = completed ?? {
    reason: phase === 'Failed' ? 'PodFailed' : 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
  const containersReady = !isOver && unready.length === 0;
  const closed = closedGates(pod);
  const gateReason = {
    reason: 'ReadinessGatesNotReady',
    message: `the status of pod readiness gates is not "True": [${closed.join(' ')}]`,
  };
  return [
    condition('PodReadyToStartContainers', podIp !== undefined && !isOver),
    phase === 'Succeeded' ? { ...initialized, ...completed, status: 'True' } : initialized,
    condition('Ready', containersReady && closed.length === 0, containersReady ? gateReason : notReady),
    condition('ContainersReady', containersReady, notReady),
    condition('PodScheduled', true),
  ];
}

function closedGates({ spec, status }: V1Pod): readonly string[] {
  const gates = (spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const open = (status?.conditions ?? []).filter((found) => found.status === 'True').map(({ type }) => type);
  return gates.filter((gate) => !open.includes(gate));
}

function condition(type: string, isTrue: boolean, why: Omit<NewCondition, 'type' | 'status'> = {}): NewCondition {
  return isTrue ? { type, status: 'True' } : { type, status: 'False', ...why };
}

function isInitialized({ role, state, started }: ContainerRecord): boolean {
  switch (role) {
    case 'main':
      return true;
    case 'sidecar':
      return started;
    case 'init':
      return state.type === 'terminated' && state.exitCode === 0;
    default:
      return unreachable(role);
  }
}

function containerStatus(record: ContainerRecord): object {
  const { container, state, lastState, restartCount, ready, started, containerID, role } = record;
  const image = container.image ?? '';
  return {
    name: container.name,
    image,
    imageID: containerID === undefined ? '' : `local://${image}`,
    state: stateJson(state),
    lastState: lastState === undefined ? {} : stateJson(lastState),
    restartCount,
    // An init container is ready when it has succeeded.
    ready: role === 'init' ? state.type === 'terminated' && state.exitCode === 0 : ready,
    started,
    ...(containerID !== undefined && { containerID }),
  };
}

function stateJson(state: ContainerState): object {
  const { type, ...fields } = state;
  return { [type]: fields };
}
