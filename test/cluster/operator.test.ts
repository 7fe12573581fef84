import { describe, expect, it } from 'vitest';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { bindMaps, connectAs, handsOn, summary, until } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const connect = connectAs(plane, 'admin');

describe('the operator on a real API server', () => {
  it('runs a hook on startup, on a schedule, for what there is, and for what happens', async () => {
    const hands = await handsOn(plane);
    await hands.configMap('before');
    const config = {
      configVersion: 'v1',
      onStartup: 1,
      schedule: [{ name: 'tick', crontab: '* * * * * *', queue: 'clock' }],
      kubernetes: [bindMaps(hands.namespace)],
    };
    await using operator = startOperator({ connect, hooks: { 'all.sh': recordingHook(config) } });
    const seen = () => operator.contexts('all.sh').map(summary);
    await until(() => expect(seen()).toContain('Synchronization before'));

    await hands.configMap('new');
    await until(() => expect(seen()).toContain('Added new'));
    await hands.patch(hands.maps('new'), { data: { a: '1' } });
    await until(() => expect(seen()).toContain('Modified new'));
    await hands.call('DELETE', hands.maps('new'));
    await until(() => expect(seen()).toContain('Deleted new'));
    await until(() => expect(seen()).toContain('Schedule'));

    expect(seen()[0]).toBe('onStartup');
    expect(seen().filter((one) => one !== 'Schedule')).toEqual([
      'onStartup',
      'Synchronization before',
      'Added new',
      'Modified new',
      'Deleted new',
    ]);
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
  });

  it('runs a hook only when what its filter makes of an object changes', async () => {
    const hands = await handsOn(plane);
    await hands.configMap('cm', { seen: '1', unseen: '1' });
    const kubernetes = [bindMaps(hands.namespace, { jqFilter: '.data.seen' })];
    await using operator = startOperator({
      connect,
      hooks: { 'filter.sh': recordingHook({ configVersion: 'v1', kubernetes }) },
    });
    await until(() => expect(operator.runs('filter.sh')).toHaveLength(1));

    await hands.patch(hands.maps('cm'), { data: { unseen: '2' } });
    await hands.patch(hands.maps('cm'), { data: { seen: '2' } });

    await until(() => expect(operator.runs('filter.sh')).toHaveLength(2));
    expect(operator.contexts('filter.sh').map(({ filterResult, objects }) => filterResult ?? objects)).toEqual([
      [expect.objectContaining({ filterResult: '1' })],
      '2',
    ]);
  });

  it('follows the namespaces that match a label: what is in them comes and goes with the label', async () => {
    const hands = await handsOn(plane);
    await hands.configMap('inside');
    const path = `/api/v1/namespaces/${hands.namespace}`;
    const labels = { [hands.namespace]: 'yes' };
    const kubernetes = [bindMaps(hands.namespace, { namespace: { labelSelector: { matchLabels: labels } } })];
    await using operator = startOperator({
      connect,
      hooks: { 'labels.sh': recordingHook({ configVersion: 'v1', kubernetes }) },
    });
    const seen = () => operator.contexts('labels.sh').map(summary);
    await until(() => expect(seen()).toEqual(['Synchronization']));

    await hands.patch(path, { metadata: { labels } });
    await until(() => expect(seen()).toContain('Added inside'));
    await hands.patch(path, { metadata: { labels: { [hands.namespace]: null } } });

    await until(() => expect(seen()).toEqual(['Synchronization', 'Added inside', 'Deleted inside']));
  });

  it('gives a group its snapshots, and applies what the hook asks of them', async () => {
    const hands = await handsOn(plane);
    await hands.configMap('source', { a: '1' });
    const nameSelector = { matchNames: ['source'] };
    const kubernetes = [bindMaps(hands.namespace, { group: 'all', nameSelector, fieldSelector: undefined })];
    const copy = {
      operation: 'CreateOrUpdate',
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: hands.namespace, name: 'copy' } },
    };
    const body = `hooklet jq -c '${JSON.stringify(copy)} | .object.data = $c[0][0].snapshots.maps[0].object.data' -n \\
      --slurpfile c "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"`;
    await using operator = startOperator({
      connect,
      hooks: { 'group.sh': recordingHook({ configVersion: 'v1', kubernetes }, body) },
    });
    await until(async () => expect(await hands.call('GET', hands.maps('copy'))).toMatchObject({ data: { a: '1' } }));

    await hands.patch(hands.maps('source'), { data: { a: '2' } });

    await until(async () => expect(await hands.call('GET', hands.maps('copy'))).toMatchObject({ data: { a: '2' } }));
    expect(operator.contexts('group.sh')[0]).toMatchObject({ type: 'Group', groupName: 'all' });
  });
});
