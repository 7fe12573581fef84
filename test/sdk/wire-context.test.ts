import { describe, expect, it } from 'vitest';
import { kubernetes, onStartup, schedule } from '../../src/sdk/bindings.ts';
import { http } from '../../src/sdk/http.ts';
import { readContexts, readSnapshots } from '../../src/sdk/wire-context.ts';

const bindings = {
  start: onStartup(1),
  nightly: schedule('@daily'),
  deploy: http({ queue: 'deploys' }),
  pods: kubernetes({ kind: 'Pod' }),
  names: kubernetes<string>({ kind: 'Pod', jqFilter: '.metadata.name' }),
  both: kubernetes<{ kind: string }, string>({ kind: 'Pod', jqFilter: '.x', keepFullObjectsInMemory: true }),
};
const pod = { kind: 'Pod', metadata: { name: 'a' } };
const item = { object: pod, filterResult: 'a' };
const failed = { object: pod, filterResult: null, filterError: 'no' };

describe('readContexts', () => {
  it.each([
    ['onStartup, by the name it was declared with', { binding: 'onStartup' }, { type: 'OnStartup', binding: 'start' }],
    ['Schedule', { binding: 'nightly', type: 'Schedule', snapshots: {} }, { type: 'Schedule', binding: 'nightly' }],
    [
      'Schedule, with what it says of the run',
      {
        binding: 'nightly',
        type: 'Schedule',
        attempt: 2,
        reason: 'retry',
        runId: 'r',
        scheduledAt: 't',
        lastSuccess: 's',
      },
      {
        type: 'Schedule',
        binding: 'nightly',
        attempt: 2,
        reason: 'retry',
        runId: 'r',
        scheduledAt: 't',
        lastSuccess: 's',
      },
    ],
    [
      'Http',
      {
        binding: 'deploy',
        type: 'Http',
        runId: 'r',
        caller: 'ann',
        receivedAt: 't',
        request: { body: '1', json: 1 },
        snapshots: {},
      },
      {
        type: 'Http',
        binding: 'deploy',
        runId: 'r',
        caller: 'ann',
        receivedAt: 't',
        request: { body: '1', json: 1 },
      },
    ],
    [
      'Group',
      { binding: 'pods', type: 'Group', groupName: 'g', snapshots: {} },
      { type: 'Group', binding: 'pods', groupName: 'g' },
    ],
    [
      'Synchronization, with the objects themselves',
      { binding: 'pods', type: 'Synchronization', objects: [{ object: pod }] },
      { type: 'Synchronization', binding: 'pods', objects: [pod] },
    ],
    [
      'Synchronization of a filtered binding, with the results of the filter',
      { binding: 'names', type: 'Synchronization', objects: [{ filterResult: 'a' }, failed] },
      { type: 'Synchronization', binding: 'names', objects: ['a', null] },
    ],
    [
      'Synchronization with both',
      { binding: 'both', type: 'Synchronization', objects: [item, failed] },
      { type: 'Synchronization', binding: 'both', objects: [item, failed] },
    ],
    [
      'Event',
      { binding: 'pods', type: 'Event', watchEvent: 'Deleted', object: pod, snapshots: { pods: [] } },
      { type: 'Event', binding: 'pods', watchEvent: 'Deleted', object: pod },
    ],
    [
      'Event of a filter that failed',
      { binding: 'names', type: 'Event', watchEvent: 'Added', filterResult: null, filterError: 'no' },
      { type: 'Event', binding: 'names', watchEvent: 'Added', filterResult: null, filterError: 'no' },
    ],
  ])('reads %s', (_type, wire, context) => {
    expect(readContexts(bindings, [wire])).toEqual([context]);
  });

  it('refuses what is no array', () => {
    expect(() => readContexts(bindings, {})).toThrow('the binding context is not a JSON array');
  });
});

describe('readSnapshots', () => {
  it('gives every kubernetes binding, the objects or what the filter made of them', () => {
    const sent = { pods: [{ object: pod }], names: [{ filterResult: 'a' }, failed], both: [item] };

    const snapshots = readSnapshots(bindings, [{ binding: 'onStartup' }, { binding: 'nightly', snapshots: sent }]);

    expect(snapshots).toEqual({ pods: [pod], names: ['a', null], both: [item] });
  });

  it('takes the snapshots of the last context that has them', () => {
    const wire = [{ snapshots: { pods: [] } }, { snapshots: { pods: [{ object: pod }] } }];

    expect(readSnapshots(bindings, wire).pods).toEqual([pod]);
  });

  it('does not pass off as empty what was not sent', () => {
    const snapshots = readSnapshots(bindings, [{ binding: 'onStartup' }]);

    expect(() => snapshots.pods).toThrow(
      'no context of this run has snapshots.pods; on startup there are none, because nothing is watched yet',
    );
  });
});
