import { describe, expect, it } from 'vitest';

import { fieldSelectorText, labelSelectorText, watchTargets } from '../../../src/sources/kubernetes/targets.ts';
import { CONFIG_MAP } from '../../support/kube-objects.ts';
import { kubernetesBinding } from '../../support/bindings.ts';

describe('watchTargets', () => {
  it('is one for all objects of all namespaces', () => {
    expect(watchTargets(kubernetesBinding('b'), CONFIG_MAP, undefined)).toEqual([{ kind: CONFIG_MAP }]);
  });

  it('is one for each name, told apart by field selector', () => {
    const binding = kubernetesBinding('b', {
      names: ['x', 'y', 'x'],
      fieldSelector: [{ field: 'metadata.namespace', operator: '!=', value: 'z' }],
      labelSelector: { matchLabels: { app: 'a' } },
    });

    expect(watchTargets(binding, CONFIG_MAP, 'ns')).toEqual([
      {
        kind: CONFIG_MAP,
        namespace: 'ns',
        labelSelector: 'app=a',
        fieldSelector: 'metadata.namespace!=z,metadata.name=x',
      },
      {
        kind: CONFIG_MAP,
        namespace: 'ns',
        labelSelector: 'app=a',
        fieldSelector: 'metadata.namespace!=z,metadata.name=y',
      },
    ]);
  });

  it('is one for all objects when the list of names is empty', () => {
    expect(watchTargets(kubernetesBinding('b', { names: [] }), CONFIG_MAP, 'ns')).toEqual([
      { kind: CONFIG_MAP, namespace: 'ns' },
    ]);
  });
});

describe('labelSelectorText', () => {
  it.each([
    [undefined, ''],
    [{}, ''],
    [{ matchLabels: { a: 'b', 'c.d/e': '' } }, 'a=b,c.d/e='],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] }, 'a in (x,y)'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, 'a notin (x)'],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a'],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, '!a'],
    [{ matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] }, 'a=b,c'],
  ] as const)('writes %j as %j', (selector, text) => {
    expect(labelSelectorText(selector)).toBe(text);
  });
});

describe('fieldSelectorText', () => {
  it.each([
    [[{ field: 'status.phase', operator: '=', value: 'Running' }], 'status.phase=Running'],
    [
      [
        { field: 'a', operator: '=', value: 'x' },
        { field: 'b', operator: '!=', value: 'y' },
      ],
      'a=x,b!=y',
    ],
    [[{ field: 'a', operator: '=', value: 'x,y=z\\' }], String.raw`a=x\,y\=z\\`],
  ] as const)('writes %j as %j', (requirements, text) => {
    expect(fieldSelectorText(requirements)).toBe(text);
  });
});
