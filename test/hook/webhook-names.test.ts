import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';
import { admissionWarnings } from '../../src/hook/admission-warnings.ts';
import { safePath, webhookPath, withoutNameConflicts } from '../../src/hook/webhook-names.ts';
import type { Hook } from '../../src/hook/binding.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { hookWith } from '../support/bindings.ts';

const RULE = { apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['sites'], operations: ['CREATE'] };

const parse = (config: object) => parseConfig(JSON.stringify({ configVersion: 'v1', ...config }), checkFilter);

function issuesOf(config: object): readonly string[] {
  const parsed = parse(config);
  return parsed.type === 'invalid' ? parsed.issues.map(({ path, message }) => `${path}: ${message}`) : [];
}

/** A hook with these webhooks, each a name or an entry. */
function hook(name: string, validating: readonly object[], mutating: readonly object[] = []): Hook {
  const parsed = parse({
    ...(validating.length > 0 && { kubernetesValidating: validating }),
    ...(mutating.length > 0 && { kubernetesMutating: mutating }),
  });
  if (parsed.type === 'invalid') throw new Error(JSON.stringify(parsed.issues));
  return hookWith(name, parsed.bindings);
}

describe('the path of a webhook', () => {
  it.each([
    ['', ''],
    ['a/b', 'a/b'],
    ['my-crd.example.com', 'my-crd-example-com'],
    ['MyHook', '-my-hook'],
    ['SomeHTTPHook', '-some-h-t-t-p-hook'],
    ['hooks/001-Check Pods.sh', 'hooks/001-check-pods-sh'],
    ['a..b', 'a-b'],
    ['ä', '-'],
  ])('of %j is %j', (name, path) => {
    expect(safePath(name)).toBe(path);
  });

  it('is below /hooks', () => {
    expect(webhookPath('pods.check.example.com')).toBe('/hooks/pods-check-example-com');
  });
});

describe('a config', () => {
  it.each([
    [
      'kubernetesValidating',
      { name: 'a.example.com', timeoutSeconds: 60 },
      'got 60, expected a number of seconds from 1',
    ],
    ['http', { authentication: { type: 'github', secretFile: 'secret' } }, 'got "secret", expected an absolute path'],
    ['http', { authentication: { type: 'github' } }, 'missing, expected the path of the file'],
  ])('of %s %j has 1 problem', (field, entry, text) => {
    expect(issuesOf({ [field]: [entry] })).toEqual([expect.stringContaining(text)]);
  });
});

describe('the name of a webhook', () => {
  const [a, b] = [
    { name: 'a.example.com', rules: [RULE] },
    { name: 'b.example.com', rules: [RULE] },
  ];

  it.each([
    [
      'validating twice',
      { kubernetesValidating: [a, b, a] },
      'kubernetesValidating[2].name: kubernetesValidating[0] has the name a.example.com too',
    ],
    [
      'validating and mutating',
      { kubernetesValidating: [b, a], kubernetesMutating: [a] },
      'kubernetesMutating[0].name: kubernetesValidating[1] has the name a.example.com too; rename one',
    ],
    [
      'two names with one path',
      { kubernetesValidating: [{ name: 'x.y.z.io' }, { name: 'x-y.z.io' }, { name: 'x.y-z.io' }] },
      'kubernetesValidating[1].name: kubernetesValidating[0] is called x.y.z.io, which has the same path as x-y.z.io; rename one',
    ],
  ])('is given once in a hook: %s', (_, config, issue) => {
    expect(issuesOf(config)).toContainEqual(expect.stringContaining(issue));
  });

  it.each(['pods', 'pods.example', 'Pods.example.com', 'a..b.c', '-a.b.c'])('%j is refused', (name) => {
    expect(issuesOf({ kubernetesValidating: [{ name }] })).toEqual([
      expect.stringContaining('a domain with at least three segments separated by dots'),
    ]);
  });

  it('is given once among all hooks: the first by path keeps it, and the error names both', () => {
    const { hooks, broken } = withoutNameConflicts([hook('a.sh', [a]), hook('b.sh', [b]), hook('c.sh', [b], [a])]);

    expect(hooks.map(({ name }) => name)).toEqual(['a.sh', 'b.sh']);
    expect(broken.map(({ hook: name, issues }) => [name, issues])).toEqual([
      [
        'c.sh',
        [
          {
            path: 'kubernetesValidating[0].name',
            message: 'b.example.com is a webhook of c.sh, but the hook b.sh has a webhook of this name too; rename one',
          },
          {
            path: 'kubernetesMutating[0].name',
            message: 'a.example.com is a webhook of c.sh, but the hook a.sh has a webhook of this name too; rename one',
          },
        ],
      ],
    ]);
  });

  it('stays with a hook that runs already', () => {
    const { hooks, broken } = withoutNameConflicts([hook('a.sh', [a])], [hook('z.sh', [a])]);

    expect(hooks).toEqual([]);
    expect(broken[0]?.message).toContain('the hook z.sh has a webhook of this name too');
  });
});

describe('a warning about a webhook', () => {
  const warningsOf = (entry: object, type: Hook['type'] = 'warm') =>
    admissionWarnings({ ...hook('a.sh', [{ name: 'a.example.com', rules: [RULE], ...entry }]), type });

  it.each(['pods', 'nodes', 'leases', 'events', '*', '*/*'])(
    'names the outage that a rule on %s can be',
    (resource) => {
      const rules = [{ ...RULE, apiGroups: ['*'], resources: ['sites', resource] }];

      expect(warningsOf({ rules })).toEqual([expect.stringMatching(/in all namespaces, and while it has no answer/)]);
      expect(warningsOf({ rules, failurePolicy: 'Ignore' })).toEqual([]);
      expect(warningsOf({ rules, namespaceSelector: { matchLabels: { a: 'b' } } })).toEqual([]);
    },
  );

  it.each([
    ['no rules', { rules: undefined }, 'it has no rules, so it is called for nothing'],
    [
      'matchOwnNamespace',
      { matchOwnNamespace: true, rules: [{ ...RULE, apiGroups: [''] }] },
      'hooklet cannot be started again to repair it',
    ],
  ])('names what %s means', (_, entry, warning) => {
    expect(warningsOf(entry)).toEqual([expect.stringContaining(warning)]);
  });

  it('says nothing of the namespace of hooklet where its rules name nothing that hooklet starts with', () => {
    const rules = [{ ...RULE, apiGroups: ['example.com'], resources: ['sites'] }];

    expect(warningsOf({ rules, matchOwnNamespace: true })).toEqual([]);
  });

  it('names a timeout that is short for a process, and not for a warm hook', () => {
    expect(warningsOf({ timeoutSeconds: 1 }, 'process')).toEqual([expect.stringContaining('a timeout of 1 s')]);
    expect(warningsOf({ timeoutSeconds: 1 }, 'warm')).toEqual([]);
  });
});

describe('what matches nothing', () => {
  const warnings = (config: object): readonly string[] => {
    const parsed = parse(config);
    expect(parsed.type).toBe('valid');
    return (parsed.type === 'valid' && parsed.warnings) || [];
  };

  it.each([
    ['resources', 'Pod', 'expected the plural in small letters, such as pods'],
    ['apiGroups', 'v1', 'which is a version: the core group is ""'],
    ['apiGroups', 'v1beta1', 'which is a version: the core group is ""'],
    ['apiGroups', 'core', 'the core group is ""'],
    ['apiGroups', 'apps/v1', 'expected the group alone, such as apps'],
    ['apiVersions', 'apps/v1', 'expected the version alone, such as v1'],
  ])('in %s of a rule, such as %j, is a warning', (field, value, text) => {
    const rules = [{ ...RULE, [field]: [...RULE.resources, value] }];

    expect(warnings({ kubernetesValidating: [{ name: 'a.example.com', rules }] })).toEqual([
      expect.stringMatching(
        new RegExp(`^kubernetesValidating\\[0\\]\\.rules\\[0\\]\\.${field}\\[\\d\\]: got "${value}", `),
      ),
    ]);
    expect(warnings({ kubernetesValidating: [{ name: 'a.example.com', rules }] })[0]).toContain(text);
  });

  it.each([
    ['crdName', { crdName: 'CronTab' }, 'which no CustomResourceDefinition is called'],
    ['crdName', { crdName: 'crontabs' }, 'which no CustomResourceDefinition is called'],
    ['conversions[0]', { conversions: [{ fromVersion: 'v1', toVersion: 'v1' }] }, 'converts "v1" to itself'],
    [
      'conversions[0].fromVersion',
      { conversions: [{ fromVersion: 'other.example.com/v1', toVersion: 'v2' }] },
      'whose group is not "example.com", as in crdName',
    ],
  ])('in a conversion, at %s of %j, is a warning', (path, more, text) => {
    const conversions = [{ fromVersion: 'example.com/v1', toVersion: 'v2' }];
    const entry = { name: 'c', crdName: 'crontabs.example.com', conversions, ...more };

    const [warning, ...others] = warnings({ kubernetesCustomResourceConversion: [entry] });
    expect(others).toEqual([]);
    expect(warning?.startsWith(`kubernetesCustomResourceConversion[0].${path}: `)).toBe(true);
    expect(warning).toContain(text);
  });
});
