import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';
import { describeBindings } from '../../src/hook/describe.ts';
import { finalizerOf, reconcileMark } from '../../src/hook/reconcile-mark.ts';
import { kindProblems } from '../../src/cli/check/kinds.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { hookWith } from '../support/bindings.ts';

const parse = (entry: unknown, more: object = {}) =>
  parseConfig(JSON.stringify({ configVersion: 'v1', reconcile: [entry], ...more }), checkFilter);

const SITE = { apiVersion: 'example.com/v1', kind: 'WebSite' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };

/** The issues of a config, as `path: message`. */
function issuesOf(entry: unknown, more: object = {}): readonly string[] {
  const config = parse(entry, more);
  return config.type === 'invalid' ? config.issues.map(({ path, message }) => `${path}: ${message}`) : [];
}

describe('reconcile in a config', () => {
  it('fills in the defaults', () => {
    expect(parse(SITE)).toMatchObject({
      type: 'valid',
      bindings: [
        {
          type: 'reconcile',
          name: 'reconcile',
          ...SITE,
          owns: [],
          watches: [],
          parallelism: 4,
          finalize: false,
          onHookChange: false,
          retry: { backoff: { firstMs: 1000, factor: 2, maxMs: 300_000, jitter: 0.2 }, onExhausted: 'block' },
        },
      ],
    });
  });

  it('reads what an author writes', () => {
    const entry = {
      name: 'websites',
      ...SITE,
      owns: [DEPLOYMENT, { apiVersion: 'v1', kind: 'ConfigMap', onChange: 'Recreate', otherNamespaces: true }],
      watches: [
        { name: 'content', apiVersion: 'v1', kind: 'ConfigMap', for: '.metadata.labels["example.com/website"]' },
      ],
      concurrency: 8,
      resyncPeriod: '10m',
      finalize: true,
      onHookChange: true,
    };
    const config = parse(entry);

    expect(config).toMatchObject({
      bindings: [
        {
          owns: [
            { ...DEPLOYMENT, onChange: 'Apply', otherNamespaces: false, keepFullObjectsInMemory: true },
            { kind: 'ConfigMap', onChange: 'Recreate', otherNamespaces: true },
          ],
          watches: [{ name: 'content', for: { type: 'jq' } }],
          parallelism: 8,
          resyncPeriodMs: 600_000,
          finalize: true,
          onHookChange: true,
        },
      ],
    });
    const hook = hookWith('site', config.type === 'valid' ? config.bindings : []);
    expect(describeBindings(hook, 0)).toEqual([
      'reconcile websites: example.com/v1 WebSite, all namespaces, owns Deployment.apps ConfigMap, watches content, ' +
        '8 at a time, again within 10m, finalizes',
    ]);
  });

  it('reads and describes the kinds that the hook can do without', () => {
    const route = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', optional: true };
    const gateways = { name: 'gateways', apiVersion: route.apiVersion, kind: 'Gateway', for: '"*"', optional: true };
    const config = parse({ ...SITE, owns: [{ ...DEPLOYMENT, optional: false }, route], watches: [gateways] });
    const bindings = config.type === 'valid' ? config.bindings : [];

    expect(bindings).toMatchObject([
      {
        owns: [expect.not.objectContaining({ isOptional: true }), { isOptional: true }],
        watches: [{ isOptional: true }],
      },
    ]);
    expect(describeBindings(hookWith('site', bindings), 0)).toEqual([
      'reconcile reconcile: example.com/v1 WebSite, all namespaces, ' +
        'owns Deployment.apps HTTPRoute.gateway.networking.k8s.io (optional), watches gateways (optional), 4 at a time',
    ]);
    expect(issuesOf({ ...SITE, owns: [{ ...DEPLOYMENT, optional: 'yes' }] })).toEqual([
      expect.stringContaining('reconcile[0].owns[0].optional: got "yes"'),
    ]);
  });

  it('reports all problems at once, each with its place', () => {
    const entry = {
      ...SITE,
      owns: [DEPLOYMENT, { ...DEPLOYMENT, apiVersion: 'apps/v1beta1' }, SITE, { kind: 'secret', apiVersion: 'v1' }],
      watches: [
        { name: 'a', kind: 'Secret', apiVersion: 'v1', for: '.[' },
        { name: 'a', kind: 'Secret', apiVersion: 'v1' },
      ],
      concurrency: 101,
      wanted: 1,
    };

    expect(issuesOf(entry).map((issue) => issue.slice(0, issue.indexOf(':')))).toEqual([
      'reconcile[0].wanted',
      'reconcile[0].owns[3].kind',
      'reconcile[0].watches[0].for',
      'reconcile[0].watches[1].for',
      'reconcile[0].concurrency',
      'reconcile[0].owns[1].kind',
      'reconcile[0].watches[1].name',
    ]);
  });

  it('refuses a name that another binding of the hook has', () => {
    expect(issuesOf({ ...SITE, name: 'pods' }, { kubernetes: [{ name: 'pods', kind: 'Pod' }] })).toEqual([
      'reconcile[0].name: got "pods", expected a name that no other binding of the hook has',
    ]);
  });

  it('checks the kinds that it owns and watches as those of kubernetes bindings', () => {
    const owns = [{ apiVersion: 'v1', kind: 'Deployment' }];
    const watches = [{ apiVersion: 'v1', kind: 'Secrett' }];

    expect(kindProblems({ reconcile: [{ ...SITE, owns, watches }] }).map(({ path }) => path)).toEqual([
      'reconcile[0].owns[0].apiVersion',
      'reconcile[0].watches[0].kind',
    ]);
  });

  it('marks the children of a binding by a label value that survives a new version of the kind', () => {
    const mark = reconcileMark({ name: 'Web Sites!', kind: 'WebSite', apiVersion: 'example.com/v1' });

    expect(mark).toMatch(/^Web-Sites-[0-9a-f]{8}$/);
    expect(reconcileMark({ name: 'Web Sites!', kind: 'WebSite', apiVersion: 'example.com/v2' })).toBe(mark);
    expect(reconcileMark({ name: 'Web Sites!', kind: 'WebSite', apiVersion: 'example.org/v1' })).not.toBe(mark);
    expect(reconcileMark({ name: 'x'.repeat(253), kind: 'A' })).toMatch(/^x{50}-[0-9a-f]{8}$/);
    expect(finalizerOf({ name: '-', kind: 'A' })).toMatch(/^hooklet\.dev\/[0-9a-f]{8}$/);
  });
});
