import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/cli/built-in-kinds.ts';
import type { Hook } from '../../src/hook/binding.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { bindingNeeds } from '../../src/rights/binding-needs.ts';
import { resourcesAmong } from '../../src/rights/known-resource.ts';
import type { Need } from '../../src/rights/need.ts';
import { rulesOf } from '../../src/rights/rules.ts';

function hookOf(config: object): Hook {
  const parsed = parseConfig(JSON.stringify({ configVersion: 'v1', ...config }), () => undefined);
  if (parsed.type !== 'valid') throw new Error(JSON.stringify(parsed.issues));
  return { name: 'a.sh', path: '/a.sh', type: 'process', bindings: parsed.bindings, settings: {} };
}

function needsIn(config: object): readonly Need[] {
  return bindingNeeds(hookOf(config), resourcesAmong(builtInKinds()));
}

/** `verbs resource.group name @namespace`, `?` for what is optional. */
function rights(config: object): readonly string[] {
  return rulesOf(needsIn(config)).map(({ verbs, resource, group, names, namespace, isOptional }) =>
    [
      `${isOptional ? '?' : ''}${verbs.join(',')}`,
      group === '' ? resource : `${resource}.${group}`,
      ...names,
      `@${namespace === '' ? '*' : namespace}`,
    ].join(' '),
  );
}

describe('a kubernetes binding needs list and watch', () => {
  it.each([
    ['in the cluster, where it names no namespace', { kind: 'Pod' }, ['list,watch pods @*']],
    [
      'in each namespace that it names',
      { kind: 'deploy', namespace: { nameSelector: { matchNames: ['b', 'a'] } } },
      ['list,watch deployments.apps @a', 'list,watch deployments.apps @b'],
    ],
    [
      'in the cluster and of namespaces, where it selects them by labels',
      { kind: 'Secret', namespace: { labelSelector: { matchLabels: { team: 'a' } } } },
      ['list,watch namespaces @*', 'list,watch secrets @*'],
    ],
    [
      'of the names alone that it selects, for they are field selectors',
      {
        kind: 'ConfigMap',
        nameSelector: { matchNames: ['x', 'y'] },
        namespace: { nameSelector: { matchNames: ['a'] } },
      },
      ['list,watch configmaps x y @a'],
    ],
    ['once in the cluster, for a kind without namespaces', { kind: 'Node' }, ['list,watch nodes @*']],
    [
      'of a guessed resource, where no list has the kind',
      { kind: 'Policy', apiVersion: 'x.dev/v1' },
      ['list,watch policies.x.dev @*'],
    ],
    [
      'in whatever version of the kind',
      { kind: 'CronJob', apiVersion: 'batch/v1beta1' },
      ['list,watch cronjobs.batch @*'],
    ],
  ])('%s', (_, binding, expected) => {
    expect(rights({ kubernetes: [binding] })).toEqual(expected);
  });

  it('and nothing of two bindings that one of them grants already', () => {
    const one = { kind: 'Pod', namespace: { nameSelector: { matchNames: ['a'] } } };

    expect(rights({ kubernetes: [one, { kind: 'pods' }, { ...one, nameSelector: { matchNames: ['x'] } }] })).toEqual([
      'list,watch pods @*',
    ]);
  });

  it('whose reason says why the rule is for the whole cluster, and whether the resource is known', () => {
    const [known] = needsIn({ kubernetes: [{ name: 'pods', kind: 'Pod' }] });
    const [unknown] = needsIn({ kubernetes: [{ kind: 'Site', apiVersion: 'x.dev/v1' }] });

    expect(known).toMatchObject({ reason: 'binding "pods" follows Pod in all namespaces, because it names none' });
    expect(known).not.toHaveProperty('isUnverified');
    expect(unknown).toMatchObject({ isUnverified: true });
  });
});

describe('a reconcile binding needs', () => {
  const owns = [{ apiVersion: 'v1', kind: 'Service' }];
  const site = { name: 's', apiVersion: 'x.dev/v1', kind: 'Site', namespace: { nameSelector: { matchNames: ['a'] } } };

  it('its objects, their status and Events; children by server-side apply, which creates and patches', () => {
    expect(rights({ reconcile: [{ ...site, owns }] })).toEqual([
      '?list,watch namespaces @*',
      'get,list,watch,create,patch services @a',
      'get,list,watch sites.x.dev @a',
      'patch sites/status.x.dev @a',
      '?create,patch events @a',
      '?delete services @a',
      '?update sites/finalizers.x.dev @a',
    ]);
  });

  it('patch for a finalizer, and children everywhere, where they may be in other namespaces', () => {
    const found = rights({ reconcile: [{ ...site, owns: [{ ...owns[0], otherNamespaces: true }] }] });

    expect(found).toContain('get,list,watch,create,patch services @*');
    expect(found).toContain('get,list,watch,patch sites.x.dev @a');
  });

  it('no status of a kind that has none, and what it watches', () => {
    const watches = [
      { name: 'c', apiVersion: 'v1', kind: 'ConfigMap', for: '.metadata.name', namespace: site.namespace },
    ];
    const found = rights({ reconcile: [{ ...site, apiVersion: 'v1', kind: 'Secret', watches: [{ ...watches[0] }] }] });

    expect(found).toEqual([
      '?list,watch namespaces @*',
      'list,watch configmaps @a',
      'list,watch secrets @a',
      '?create,patch events @a',
    ]);
  });
});
