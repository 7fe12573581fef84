import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';

const parse = (text: string) =>
  parseConfig(text, ({ expression }) => (expression === '.[' ? 'syntax error' : undefined));

/** The names of the bindings with their effective snapshots. */
function snapshotsOf(text: string): readonly unknown[] {
  const config = parse(text);
  if (config.type === 'invalid') return [...config.issues];
  return config.bindings.map((binding) =>
    binding.type === 'onStartup' ? 'onStartup' : [binding.name, binding.includeSnapshotsFrom],
  );
}

describe('parseConfig', () => {
  it('reads JSON and YAML alike', () => {
    const yaml = parse('configVersion: v1\nonStartup: 10\n');

    expect(yaml).toEqual({ type: 'valid', bindings: [{ type: 'onStartup', order: 10 }], settings: {} });
    expect(parse('{"configVersion":"v1","onStartup":10}')).toEqual(yaml);
  });

  it('yields onStartup, then schedule, then kubernetes, whatever the order of writing', () => {
    const config = parse(`
configVersion: v1
kubernetes: [{name: pods, kind: Pod}, {kind: Node}]
schedule: [{name: nightly, crontab: "@daily"}]
onStartup: 1
`);

    expect(config.type === 'valid' && config.bindings.map(({ type }) => type)).toEqual([
      'onStartup',
      'schedule',
      'kubernetes',
      'kubernetes',
    ]);
  });

  it('adds the kubernetes bindings of a group to the list of each of its members', () => {
    expect(
      snapshotsOf(`
configVersion: v1
schedule:
  - {crontab: "@daily", group: g, includeSnapshotsFrom: [nodes]}
  - {crontab: "@daily", name: alone}
kubernetes:
  - {name: pods, kind: Pod, group: g}
  - {name: nodes, kind: Node, includeSnapshotsFrom: [nodes]}
  - {name: secrets, kind: Secret, group: g}
`),
    ).toEqual([
      ['schedule', ['nodes', 'pods', 'secrets']],
      ['alone', []],
      ['pods', ['pods', 'secrets']],
      ['nodes', ['nodes']],
      ['secrets', ['pods', 'secrets']],
    ]);
  });

  it('takes unnamed bindings of a group as they are', () => {
    expect(snapshotsOf('{configVersion: v1, kubernetes: [{kind: Pod, group: g}, {kind: Node, group: g}]}')).toEqual([
      ['kubernetes', ['kubernetes']],
      ['kubernetes', ['kubernetes']],
    ]);
  });

  it('accepts a config with settings alone: a hook that is switched off', () => {
    expect(parse('{configVersion: v1, settings: {timeout: 30s}}')).toEqual({
      type: 'valid',
      bindings: [],
      settings: { timeoutMs: 30_000 },
    });
  });

  it('reports every problem at once', () => {
    const config = parse(`
configVersion: v1
onStartup: first
schedules: []
schedule:
  - {crontab: "0 0 31 2 *", allowFailure: maybe}
  - name: no crontab
kubernetes:
  - 5
  - {kind: Pod, jqFilter: ".[", includeSnapshotsFrom: [nothing]}
  - {kind: Pod, labelSelector: {matchExpressions: [{key: a, operator: Foo}]}}
settings: {timeout: 5}
`);

    expect(config.type === 'invalid' && config.issues.map(({ path }) => path)).toEqual([
      'schedules',
      'onStartup',
      'schedule[0].crontab',
      'schedule[0].allowFailure',
      'schedule[1].crontab',
      'kubernetes[0]',
      'kubernetes[1].jqFilter',
      'kubernetes[2].labelSelector.matchExpressions[0].operator',
      'settings.timeout',
      'kubernetes[1].includeSnapshotsFrom[0]',
    ]);
  });

  it.each<[string, string, string, string]>([
    ['no output', '', '', 'got nothing on stdout'],
    ['garbage', 'Hello, world!', '', 'got "Hello, world!", expected a mapping with configVersion: v1 and bindings'],
    ['a list', '[]', '', 'got [], expected a mapping'],
    ['no version', 'onStartup: 1', 'configVersion', 'missing, add "configVersion: v1"'],
    ['the old format', 'onKubernetesEvent: [{kind: Pod}]', 'configVersion', 'missing, add "configVersion: v1"'],
    ['null as version', '{configVersion: null, onStartup: 1}', 'configVersion', 'got null, expected "v1"'],
    ['a number as version', '{configVersion: 1, onStartup: 1}', 'configVersion', 'got 1, expected "v1"'],
    ['another version', '{configVersion: v2, onStartup: 1}', 'configVersion', 'got "v2", expected "v1"'],
    ['nothing but a version', 'configVersion: v1', '', 'the hook binds to nothing'],
    [
      'an empty list',
      '{configVersion: v1, schedule: []}',
      'schedule',
      'got [], expected a list with at least one element',
    ],
    ['a list without entries', 'configVersion: v1\nkubernetes:\n', 'kubernetes', 'got null, expected a list'],
    [
      'a mapping for a list',
      '{configVersion: v1, kubernetes: {kind: Pod}}',
      'kubernetes',
      'got {"kind":"Pod"}, expected a list',
    ],
    ['a fraction as order', '{configVersion: v1, onStartup: 1.5}', 'onStartup', 'got 1.5, expected a whole number'],
  ])('refuses %s', (_law, text, path, message) => {
    expect(parse(text)).toEqual({ type: 'invalid', issues: [{ path, message: expect.stringContaining(message) }] });
  });

  it.each(['kubernetesValidating', 'kubernetesMutating', 'kubernetesCustomResourceConversion'])(
    'says once that %s is not supported',
    (field) => {
      expect(parse(`{configVersion: v1, ${field}: [{nonsense: 1}, 2]}`)).toEqual({
        type: 'invalid',
        issues: [{ path: field, message: 'this binding is not supported by this version of hooklet' }],
      });
    },
  );
});
