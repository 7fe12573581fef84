import { expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { podState, seenPod } from '../../../src/runner/job/pod-state.ts';

const hook = (state: JsonObject, name = 'hook'): JsonObject => ({ name, state });
const waiting = (reason: string, message = ''): JsonObject => ({ waiting: { reason, message } });
const ended = (exitCode: number, reason = ''): JsonObject => ({ terminated: { exitCode, reason } });
const target: JsonObject = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'drain',
};
const exit = (fields: JsonObject = {}) => ({ reason: '', message: '', ...fields });

it.each([
  ['nothing yet', {}, { type: 'pending', reason: 'its containers are not created yet' }],
  [
    'no node for it',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] },
    { type: 'pending', reason: 'Unschedulable: 0/3 nodes' },
  ],
  [
    'a container that is created',
    { containerStatuses: [hook(waiting('ContainerCreating'))] },
    { type: 'pending', reason: 'its containers are not created yet' },
  ],
  [
    'no image',
    { containerStatuses: [hook(waiting('ErrImagePull', 'not found'))] },
    { type: 'pending', reason: 'container hook: ErrImagePull: not found' },
  ],
  [
    'a user that is root',
    { containerStatuses: [hook(waiting('CreateContainerConfigError', 'image will run as root'))] },
    { type: 'pending', reason: 'container hook: CreateContainerConfigError: image will run as root' },
  ],
  [
    'a sidecar that fails again and again',
    {
      initContainerStatuses: [hook(waiting('CrashLoopBackOff', 'back-off'), 'hooklet')],
      containerStatuses: [hook(waiting('PodInitializing'))],
    },
    { type: 'pending', reason: 'container hooklet: CrashLoopBackOff: back-off' },
  ],
  [
    'an init container that runs',
    { initContainerStatuses: [hook({ running: {} }, 'hooklet')] },
    { type: 'pending', reason: 'init container hooklet runs' },
  ],
  ['a hook that runs', { phase: 'Running', containerStatuses: [hook({ running: {} })] }, { type: 'running' }],
  [
    'a hook that runs, and a disruption that may be withdrawn',
    { phase: 'Running', conditions: [target], containerStatuses: [hook({ running: {} })] },
    { type: 'running' },
  ],
  [
    'a hook that has ended beside another container',
    { phase: 'Running', containerStatuses: [hook({ running: {} }, 'proxy'), hook(ended(3, 'Error'))] },
    { type: 'ended', exit: exit({ exitCode: 3 }) },
  ],
  [
    'too little memory',
    { phase: 'Failed', containerStatuses: [hook(ended(137, 'OOMKilled'))] },
    { type: 'ended', exit: exit({ exitCode: 137, reason: 'OOMKilled' }) },
  ],
  [
    'its duration',
    {
      phase: 'Succeeded',
      containerStatuses: [
        hook({
          terminated: {
            exitCode: 0,
            reason: 'Completed',
            startedAt: '2026-01-01T00:00:00Z',
            finishedAt: '2026-01-01T00:01:00Z',
          },
        }),
      ],
    },
    { type: 'ended', exit: exit({ exitCode: 0, durationMs: 60_000 }) },
  ],
  [
    'an init container that failed',
    { phase: 'Failed', initContainerStatuses: [hook(ended(2, 'Error'), 'first')] },
    { type: 'ended', exit: { reason: 'Error', message: 'init container first ended with exit code 2' } },
  ],
  [
    'a node that did not take it',
    { phase: 'Failed', reason: 'OutOfcpu', message: 'too little' },
    { type: 'ended', exit: { reason: 'OutOfcpu', message: 'too little' } },
  ],
  [
    'an eviction',
    { phase: 'Failed', reason: 'Evicted', message: 'low on memory' },
    {
      type: 'disrupted',
      why: 'Evicted: low on memory',
      isOver: true,
      exit: { reason: 'Evicted', message: 'low on memory' },
    },
  ],
  [
    'a drain that is over',
    { phase: 'Failed', conditions: [target], containerStatuses: [hook(ended(143, 'Error'))] },
    { type: 'disrupted', why: 'EvictionByEvictionAPI: drain', isOver: true, exit: exit({ exitCode: 143 }) },
  ],
  [
    'a lost node',
    { reason: 'NodeLost', message: 'unresponsive' },
    { type: 'disrupted', why: 'NodeLost: unresponsive', isOver: false },
  ],
])('%s: %j', (_what, status, state) => {
  expect(podState({ status })).toEqual(state);
});

it.each([
  ['while it runs', { phase: 'Running', containerStatuses: [hook({ running: {} })] }, { isOver: false }],
  [
    'when it has ended',
    { phase: 'Running', containerStatuses: [hook(ended(0))] },
    { isOver: true, exit: exit({ exitCode: 0 }) },
  ],
])('a Pod that is deleted %s', (_what, status, rest) => {
  const state = podState({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status });

  expect(state).toEqual({ type: 'disrupted', why: 'it was deleted', ...rest });
});

it('a Pod says which Job made it, and how long it may go on when it is told to end', () => {
  const references = [
    { kind: 'Node', name: 'n', uid: '1' },
    { kind: 'Job', name: 'j', uid: '2', controller: true },
  ];
  const metadata = { name: 'p', namespace: 'n', uid: 'u', ownerReferences: references, deletionGracePeriodSeconds: 7 };

  expect(seenPod({ value: { metadata, spec: { terminationGracePeriodSeconds: 60 } } })).toMatchObject({
    job: { name: 'j', uid: '2' },
    isDeleting: false,
    graceMs: 7000,
  });
  expect(seenPod({ value: { metadata: { name: 'p' }, spec: { terminationGracePeriodSeconds: 60 } } })).toMatchObject({
    job: undefined,
    graceMs: 60_000,
  });
});
