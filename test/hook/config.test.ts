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

  it.each([
    [
      '@every 99999999999999h',
      'got "@every 99999999999999h": crontab is invalid: Failed to parse duration @every 99999999999999h',
    ],
    [`${'1,'.repeat(500)}1 * * * *`, 'Expected at most 1000 characters, found 1009'],
  ])('takes the crontab %s for a problem of this hook', (crontab, message) => {
    expect(parse(JSON.stringify({ configVersion: 'v1', schedule: [{ crontab }] }))).toEqual({
      type: 'invalid',
      issues: [{ path: 'schedule[0].crontab', message: expect.stringContaining(message) }],
    });
  });

  it('accepts 500 bindings and refuses 501', () => {
    const configOf = (count: number): string =>
      JSON.stringify({
        configVersion: 'v1',
        schedule: [{ crontab: '@daily' }],
        kubernetes: Array.from({ length: count - 1 }, () => ({ kind: 'Pod' })),
      });

    expect(parse(configOf(500)).type).toBe('valid');
    expect(parse(configOf(501))).toEqual({
      type: 'invalid',
      issues: [{ path: '', message: 'got 501 bindings, expected at most 500; divide them among several hooks' }],
    });
  });

  it('accepts 262,144 characters and refuses one more', () => {
    const config = 'configVersion: v1\nonStartup: 1\n#';

    expect(parse(config.padEnd(262_144)).type).toBe('valid');
    expect(parse(config.padEnd(262_145))).toEqual({
      type: 'invalid',
      issues: [{ path: '', message: 'got 262145 characters, expected at most 262144' }],
    });
  });

  it('refuses a list of more than 1,000 elements', () => {
    const configOf = (matchNames: readonly string[]): string =>
      JSON.stringify({ configVersion: 'v1', kubernetes: [{ kind: 'Pod', nameSelector: { matchNames } }] });

    expect(parse(configOf(Array(1000).fill('a'))).type).toBe('valid');
    expect(parse(configOf(Array(1001).fill('a')))).toEqual({
      type: 'invalid',
      issues: [{ path: 'kubernetes[0].nameSelector.matchNames', message: 'got 1001 elements, expected at most 1000' }],
    });
  });

  it('tells at most 100 problems, none of them long', () => {
    const entry = { [`x${'y'.repeat(10_000)}`]: 1, kind: 'k'.repeat(1000), queue: 'q'.repeat(254) };
    const config = parse(JSON.stringify({ configVersion: 'v1', kubernetes: Array(20).fill(entry) }));
    const many = parse(JSON.stringify({ configVersion: 'v1', kubernetes: Array(200).fill({ kind: 1 }) }));

    if (config.type === 'valid' || many.type === 'valid') throw new Error('was read');
    expect(many.issues).toHaveLength(101);
    expect(many.issues.at(-1)).toEqual({ path: '', message: 'and more than these 100 problems' });
    expect(JSON.stringify(config.issues.slice(0, 2)).length).toBeLessThan(1500);
  });

  it.each(['..', '.', 'a/b', 'a%2fb'])('refuses the name %j wherever it would stand in a path', (name) => {
    const entry = {
      kind: name,
      nameSelector: { matchNames: [name] },
      namespace: { nameSelector: { matchNames: [name] } },
    };
    const config = parse(JSON.stringify({ configVersion: 'v1', kubernetes: [entry] }));

    expect(config.type === 'invalid' && config.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual(
      ['kind', 'nameSelector.matchNames[0]', 'namespace.nameSelector.matchNames[0]'].map((field) =>
        expect.stringMatching(
          new RegExp(`^kubernetes\\[0\\]\\.${field.replaceAll(/[[\].]/g, String.raw`\$&`)}: got .*, which may not `),
        ),
      ),
    );
  });

  it('refuses an apiVersion that leads elsewhere', () => {
    const config = parse('{configVersion: v1, kubernetes: [{kind: Pod, apiVersion: "../v1"}]}');

    expect(config).toEqual({
      type: 'invalid',
      issues: [{ path: 'kubernetes[0].apiVersion', message: 'got "../v1", of which a part may not be ".."' }],
    });
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
    ['null as version', '{configVersion: null, onStartup: 1}', 'configVersion', 'got null, expected "v1"'],
    ['a number as version', '{configVersion: 1, onStartup: 1}', 'configVersion', 'got 1, expected "v1"'],
    ['another version', '{configVersion: v2, onStartup: 1}', 'configVersion', 'got "v2", expected "v1"'],
    ['nothing but a version', 'configVersion: v1', '', 'the hook has no bindings'],
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
});
