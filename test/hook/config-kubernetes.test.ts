import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import { createKubernetesReader, toKubernetesBinding } from '../../src/hook/config-kubernetes.ts';

const read = createKubernetesReader(({ type, expression }) =>
  expression.includes('(') ? `${type} does not compile` : undefined,
);

function bind(value: unknown) {
  const issues: Issue[] = [];
  const entry = read(value, { path: 'kubernetes[0]', issues });
  return { binding: entry === undefined ? undefined : toKubernetesBinding(entry, []), issues };
}

describe('a kubernetes entry', () => {
  it('gets the defaults', () => {
    expect(bind({ kind: 'Pod' })).toEqual({
      binding: {
        type: 'kubernetes',
        name: 'kubernetes',
        kind: 'Pod',
        executeHookOnEvent: ['Added', 'Modified', 'Deleted'],
        executeHookOnSynchronization: true,
        waitForSynchronization: true,
        keepFullObjectsInMemory: true,
        allowFailure: false,
        queue: 'main',
        includeSnapshotsFrom: [],
      },
      issues: [],
    });
  });

  it('says how its objects are divided, and refuses other words', () => {
    expect(bind({ kind: 'Pod', shard: 'uid' }).binding?.shard).toBe('uid');
    expect(bind({ kind: 'Pod', shard: 'name' }).issues).toMatchObject([
      { path: 'kubernetes[0].shard', message: expect.stringContaining('expected one of namespace, uid, none') },
    ]);
  });

  it('keeps what it says', () => {
    const { binding, issues } = bind({
      name: 'pods',
      kind: 'Pod',
      apiVersion: 'v1',
      executeHookOnEvent: ['Deleted', 'Added', 'Deleted'],
      executeHookOnSynchronization: false,
      waitForSynchronization: false,
      keepFullObjectsInMemory: false,
      jqFilter: '.spec',
      nameSelector: { matchNames: ['a'] },
      labelSelector: { matchLabels: { x: 'y' } },
      fieldSelector: { matchExpressions: [{ field: 'status.phase', operator: 'Equals', value: 'Running' }] },
      namespace: { nameSelector: { matchNames: ['default'] } },
      allowFailure: true,
      queue: 'q',
      group: 'g',
      resynchronizationPeriod: '10m',
    });

    expect(issues).toEqual([]);
    expect(binding).toEqual({
      type: 'kubernetes',
      name: 'pods',
      kind: 'Pod',
      apiVersion: 'v1',
      executeHookOnEvent: ['Deleted', 'Added'],
      executeHookOnSynchronization: false,
      waitForSynchronization: false,
      keepFullObjectsInMemory: false,
      filter: { type: 'jq', expression: '.spec' },
      names: ['a'],
      labelSelector: { matchLabels: { x: 'y' } },
      fieldSelector: [{ field: 'status.phase', operator: '=', value: 'Running' }],
      namespace: { type: 'names', names: ['default'] },
      allowFailure: true,
      queue: 'q',
      group: 'g',
      includeSnapshotsFrom: [],
      resynchronizationPeriodMs: 600_000,
    });
  });

  it.each<[string, object, object]>([
    ['watchEvent as executeHookOnEvent', { watchEvent: ['Added'] }, { executeHookOnEvent: ['Added'] }],
    [
      'executeHookOnEvent before watchEvent',
      { watchEvent: ['Added'], executeHookOnEvent: [] },
      { executeHookOnEvent: [] },
    ],
    ['a JSONPath filter', { jsonPathFilter: '$.spec' }, { filter: { type: 'jsonPath', expression: '$.spec' } }],
  ])('reads %s', (_law, fields, expected) => {
    expect(bind({ kind: 'Pod', ...fields }).binding).toMatchObject(expected);
  });

  it.each(['apiVersion', 'jqFilter', 'group'])('takes an empty %s for an absent one', (field) => {
    expect(bind({ kind: 'Pod', [field]: '' })).toEqual(bind({ kind: 'Pod' }));
  });

  it.each<[object, string, string]>([
    [{ kind: undefined }, 'kind', 'missing, expected a kind such as Pod'],
    [{ kind: '' }, 'kind', 'got "", expected a string that is not empty'],
    [{ apiVersion: 'a/b/c' }, 'apiVersion', 'got "a/b/c", expected a version such as v1 or apps/v1'],
    [
      { executeHookOnEvent: ['added'] },
      'executeHookOnEvent[0]',
      'got "added", expected one of Added, Modified, Deleted',
    ],
    [{ executeHookOnEvent: 'Added' }, 'executeHookOnEvent', 'got "Added", expected a list'],
    [{ jqFilter: '.a(' }, 'jqFilter', 'got ".a(": compile jqFilter: jq does not compile'],
    [{ jsonPathFilter: '$(' }, 'jsonPathFilter', 'got "$(": jsonPath does not compile'],
    [{ jqFilter: '.', jsonPathFilter: '$' }, 'jsonPathFilter', 'jqFilter and jsonPathFilter are mutually exclusive'],
    [{ mode: 'Incremental' }, 'mode', 'unknown field, '],
    [{ crontab: '* * * * *' }, 'crontab', 'unknown field, expected one of name, kind'],
    [
      {
        nameSelector: { matchNames: ['a'] },
        fieldSelector: { matchExpressions: [{ field: 'metadata.name', operator: '=', value: 'a' }] },
      },
      'fieldSelector',
      "fieldSelector 'metadata.name' and nameSelector.matchNames are mutually exclusive",
    ],
  ])('with a problem says where: %j', (fields, path, message) => {
    expect(bind({ kind: 'Pod', ...fields }).issues).toEqual([
      { path: `kubernetes[0].${path}`, message: expect.stringContaining(message) },
    ]);
  });
});
