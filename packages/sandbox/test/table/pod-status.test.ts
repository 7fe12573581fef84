import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { podSummary } from '../../src/table/pod-status.ts';

const NOW = Date.parse('2025-01-01T00:01:00Z');
const containers = [{ name: 'a' }, { name: 'b' }];
const running = { ready: true, state: { running: {} } };
const waiting = { state: { waiting: { reason: 'CrashLoopBackOff' } } };
const done = { state: { terminated: { exitCode: 0, reason: 'Completed' } } };
const failed = { state: { terminated: { exitCode: 3 } } };
const killed = { state: { terminated: { exitCode: 137, signal: 9 } } };
const lastState = { terminated: { finishedAt: '2025-01-01T00:00:00Z' } };
const isReady = [{ type: 'Ready', status: 'True' }];
const started = { name: 'side', started: true, ready: true, state: { running: {} } };
const sidecar = { name: 'side', restartPolicy: 'Always' };

describe('the state of a Pod', () => {
  it.each<[string, JsonObject, JsonObject, string]>([
    ['is its phase', {}, { phase: 'Pending' }, '0/2 Pending 0'],
    ['is its reason', {}, { phase: 'Failed', reason: 'Evicted' }, '0/2 Evicted 0'],
    ['counts what is ready', {}, { phase: 'Running', containerStatuses: [running, running] }, '2/2 Running 0'],
    [
      'is what a container waits for',
      {},
      { phase: 'Running', containerStatuses: [running, waiting] },
      '1/2 CrashLoopBackOff 0',
    ],
    ['is completed', {}, { phase: 'Succeeded', containerStatuses: [done, done] }, '0/2 Completed 0'],
    ['is the failure behind one that is completed', {}, { containerStatuses: [done, failed] }, '0/2 ExitCode:3 0'],
    ['is a signal', {}, { containerStatuses: [killed] }, '0/2 Signal:9 0'],
    [
      'is running where one is completed and the Pod ready',
      {},
      { containerStatuses: [done, running], conditions: isReady },
      '1/2 Running 0',
    ],
    ['is not ready where one is completed', {}, { containerStatuses: [done, running] }, '1/2 NotReady 0'],
    [
      'is how far it is initialized',
      { initContainers: [{}, {}] },
      { phase: 'Pending', initContainerStatuses: [done, {}] },
      '0/2 Init:1/2 0',
    ],
    [
      'is why it is not initialized',
      { initContainers: [{}] },
      { initContainerStatuses: [failed] },
      '0/2 Init:ExitCode:3 0',
    ],
    [
      'is what an init container waits for',
      { initContainers: [{}] },
      { initContainerStatuses: [waiting] },
      '0/2 Init:CrashLoopBackOff 0',
    ],
    [
      'counts sidecars',
      { initContainers: [sidecar] },
      { phase: 'Running', initContainerStatuses: [started], containerStatuses: [running, running] },
      '3/3 Running 0',
    ],
    [
      'is gated',
      {},
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] },
      '0/2 SchedulingGated 0',
    ],
    [
      'counts restarts',
      {},
      { phase: 'Running', containerStatuses: [{ ...running, restartCount: 2, lastState }, running] },
      '2/2 Running 2 (60s ago)',
    ],
  ])('%s', (_, spec, status, text) => {
    const { ready, containers: all, reason, restarts } = podSummary({ spec: { containers, ...spec }, status }, NOW);

    expect(`${ready}/${all} ${reason} ${restarts}`).toBe(text);
  });

  it.each([
    ['Running', '', 'Terminating'],
    ['Succeeded', '', 'Succeeded'],
    ['Running', 'NodeLost', 'Unknown'],
  ])('while it is deleted, in phase %s with reason %j, is %s', (phase, reason, text) => {
    const metadata = { deletionTimestamp: '2025-01-01T00:00:00Z' };

    expect(podSummary({ metadata, spec: { containers }, status: { phase, reason } }, NOW).reason).toBe(text);
  });
});
