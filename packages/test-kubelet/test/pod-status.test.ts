import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { podStatus, type ContainerRecord, type ContainerState, type PodRecord } from '../src/pod-status.ts';

const RUNNING: ContainerState = { type: 'running', startedAt: '2025-01-01T00:00:00Z' };
const CREATING: ContainerState = { type: 'waiting', reason: 'ContainerCreating' };
const CRASHED: ContainerState = { type: 'waiting', reason: 'CrashLoopBackOff' };

function ended(exitCode: number): ContainerState & { readonly type: 'terminated' } {
  const times = { startedAt: '2025-01-01T00:00:00Z', finishedAt: '2025-01-01T00:00:01Z' };
  return { type: 'terminated', exitCode, reason: 'Error', containerID: 'local://1', ...times };
}

function record(role: ContainerRecord['role'], state: ContainerState): ContainerRecord {
  const isRunning = state.type === 'running';
  return {
    container: { name: role },
    role,
    state,
    restartCount: 0,
    ready: isRunning,
    started: isRunning,
    ...(state === CRASHED && { lastState: ended(1) }),
  };
}

function pod(
  restartPolicy: string,
  containers: readonly ContainerRecord[],
  fields: Partial<PodRecord> = {},
): PodRecord {
  const spec: V1Pod = { spec: { restartPolicy, containers: [] } };
  const common = { hostIp: '198.18.0.1', podIp: '198.18.0.2', startTime: '2025-01-01T00:00:00Z' };
  return { pod: spec, containers, isStopping: false, ...common, ...fields };
}

const NOW = '2025-01-01T00:00:05Z';

describe('the phase of a pod', () => {
  it.each<readonly [string, string, PodRecord]>([
    ['Pending', 'its containers are being made', pod('Always', [record('main', CREATING)])],
    ['Pending', 'it is initialized', pod('Always', [record('init', RUNNING), record('main', CREATING)])],
    [
      'Failed',
      'what initializes it has failed for good',
      pod('Never', [record('init', ended(1)), record('main', CREATING)]),
    ],
    [
      'Pending',
      'what initializes it will be tried again',
      pod('Always', [record('init', ended(1)), record('main', CREATING)]),
    ],
    ['Running', 'a container runs', pod('Never', [record('main', RUNNING), record('main', ended(1))])],
    ['Running', 'a container waits to be started again', pod('Always', [record('main', CRASHED)])],
    ['Running', 'a container that has ended will be started again', pod('Always', [record('main', ended(0))])],
    ['Running', 'a container that has failed will be started again', pod('OnFailure', [record('main', ended(2))])],
    ['Succeeded', 'all is done', pod('OnFailure', [record('main', ended(0))])],
    ['Running', 'all is done but its sidecar', pod('Never', [record('sidecar', RUNNING), record('main', ended(0))])],
    ['Failed', 'one has failed', pod('Never', [record('main', ended(0)), record('main', ended(3))])],
    ['Succeeded', 'it was stopped and ended well', pod('Always', [record('main', ended(0))], { isStopping: true })],
    ['Failed', 'it was stopped before it began', pod('Always', [record('main', CREATING)], { isStopping: true })],
    [
      'Failed',
      'its node has ended it',
      pod('Always', [record('main', RUNNING)], { failure: { reason: 'Evicted', message: 'no space' } }),
    ],
  ])('is %s when %s', (phase, _, given) => {
    expect(podStatus(given, [], NOW).phase).toBe(phase);
  });
});

describe('a condition of a pod', () => {
  it('keeps its time as long as it stays as it was', () => {
    const first = podStatus(pod('Always', [record('main', CREATING)]), [], NOW).conditions;

    const second = podStatus(pod('Always', [record('main', RUNNING)]), first, '2025-01-01T00:00:09Z').conditions;

    const times = second.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime]);
    expect(times).toEqual([
      ['PodReadyToStartContainers', 'True', NOW],
      ['Initialized', 'True', NOW],
      ['Ready', 'True', '2025-01-01T00:00:09Z'],
      ['ContainersReady', 'True', '2025-01-01T00:00:09Z'],
      ['PodScheduled', 'True', NOW],
    ]);
  });

  it('says which containers it waits for', () => {
    const containers = [record('init', RUNNING), record('main', CREATING)];

    expect(podStatus(pod('Always', containers), [], NOW).conditions).toMatchObject([
      { type: 'PodReadyToStartContainers' },
      { type: 'Initialized', status: 'False', message: 'containers with incomplete status: [init]' },
      { type: 'Ready', status: 'False', message: 'containers with unready status: [main]' },
      { type: 'ContainersReady', status: 'False' },
      { type: 'PodScheduled' },
    ]);
  });
});
