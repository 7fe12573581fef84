import { describe, expect, it } from 'vitest';
import { describeMetric, describeOperation } from '../../src/effects/describe-operation.ts';
import { parseMetrics } from '../../src/effects/parse-metrics.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';

const target = { kind: 'Pod', namespace: 'team', name: 'web' };

describe('an operation for people', () => {
  it.each([
    [{ ...target, operation: 'Delete', apiVersion: 'v1' }, ['Delete v1/Pod/team/web']],
    [
      { ...target, operation: 'Delete', apiVersion: 'v1', preconditions: { uid: 'u1' } },
      ['Delete v1/Pod/team/web (uid u1)'],
    ],
    [
      { operation: 'Create', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } } },
      ['Create v1/Namespace/a', '    apiVersion: v1', '    kind: Namespace', '    metadata:', '      name: a'],
    ],
    [
      { ...target, operation: 'MergePatch', ignoreMissingObject: true, mergePatch: { spec: { a: 1 } } },
      ['MergePatch Pod/team/web (ignoreMissingObject)', '    spec:', '      a: 1'],
    ],
    [
      { ...target, operation: 'JSONPatch', jsonPatch: [{ op: 'remove', path: '/spec/a' }] },
      ['JSONPatch Pod/team/web', '    - op: remove', '      path: /spec/a'],
    ],
    [
      {
        ...target,
        operation: 'JQPatch',
        subresource: 'status',
        ignoreHookError: true,
        jqFilter: '.a\n| .b',
      },
      ['JQPatch Pod/team/web/status (ignoreHookError)', '    .a', '    | .b'],
    ],
    [
      {
        operation: 'Apply',
        force: true,
        object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } },
      },
      [
        'Apply v1/Namespace/a (fieldManager hooklet, force)',
        '    apiVersion: v1',
        '    kind: Namespace',
        '    metadata:',
        '      name: a',
      ],
    ],
  ])('of %j has its target, and its payload as YAML', (document, lines) => {
    const { operations } = parseOperations(JSON.stringify(document), () => undefined);

    expect(operations.map(describeOperation)).toEqual([lines.join('\n')]);
  });
});

describe('a metric for people', () => {
  it.each([
    [{ name: 'a', set: 1.5 }, 'set a 1.5'],
    [{ name: 'a', add: 2, labels: { b: 'c d', e: 'f' }, group: 'g' }, 'add a{b="c d",e="f"} 2 in group g'],
    [{ name: 'a', action: 'observe', value: 3, buckets: [1, 5] }, 'observe a 3 in buckets 1, 5'],
    [{ action: 'expire', group: 'g' }, 'expire group g'],
  ])('of %j has its series and value', (document, shown) => {
    expect(parseMetrics(JSON.stringify(document)).operations.map(describeMetric)).toEqual([shown]);
  });
});
