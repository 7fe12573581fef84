import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { schemaText } from '../../../src/cli/author/schema.ts';
import { parseConfig } from '../../../src/hook/config.ts';
import { readYaml } from '../../../src/lib/yaml.ts';
import { isHookDefinition } from '../../../src/sdk/index.ts';
import { checkFilter } from '../../../src/units/filter-check.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const schema: JsonObject = JSON.parse(schemaText('hook'));
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

/** Whether the reader of configs takes it. */
function isRead(config: unknown): boolean {
  return parseConfig(JSON.stringify(config), checkFilter).type === 'valid';
}

/** A mapping of the schema, and a config that has it at its place. */
interface Mapping {
  readonly path: string;
  readonly fields: readonly string[];
  /** The config with `value` in that place. */
  readonly configWith: (value: unknown) => unknown;
}

/** Every mapping with fields that can be reached from a part of the schema. */
function mappings(part: JsonObject, path: string, configWith: Mapping['configWith']): readonly Mapping[] {
  const whole = resolved(part);
  const { items, properties } = whole;
  if (isJsonObject(items)) return mappings(items, `${path}[0]`, (value) => configWith([value]));
  if (!isJsonObject(properties)) return [];
  const below = Object.entries(properties).flatMap(([key, value]) =>
    isJsonObject(value)
      ? mappings(value, path === '' ? key : `${path}.${key}`, (inner) => configWith({ [key]: inner }))
      : [],
  );
  return [{ path, fields: Object.keys(properties), configWith }, ...below];
}

function resolved(part: JsonObject): JsonObject {
  const name = typeof part['$ref'] === 'string' ? part['$ref'].split('/').at(-1) : undefined;
  const found = name === undefined ? part : (schema['$defs'] as JsonObject)[name];
  return isJsonObject(found) ? found : {};
}

/** The fields that the reader knows at a path: its message about an unknown one lists them. */
function knownFields({ path, configWith }: Mapping): readonly string[] {
  const config = { configVersion: 'v1', ...Object(configWith({ zzzzzzzzzz: 1 })) };
  const read = parseConfig(JSON.stringify(config), checkFilter);
  const issues = read.type === 'invalid' ? read.issues : [];
  const unknown = path === '' ? 'zzzzzzzzzz' : `${path}.zzzzzzzzzz`;
  const message = issues.find((issue) => issue.path === unknown)?.message ?? '';
  return /unknown field, expected one of ([^(]*\w)/.exec(message)?.[1]?.split(', ') ?? [];
}

const all = mappings(schema, '', (value) => value);

describe('the JSON Schema of a hook config', () => {
  it.each(all.map((mapping) => ({ ...mapping, name: mapping.path === '' ? 'the whole config' : mapping.path })))(
    'has the fields that the reader knows: $name',
    (mapping) => {
      expect(mapping.fields.toSorted()).toEqual(knownFields(mapping).toSorted());
    },
  );

  it('reaches every binding', () => {
    expect(all.length).toBeGreaterThan(50);
  });

  it('takes the configs of all examples and solutions, as the reader does', async () => {
    const files = globSync('{examples/*/hooks,examples/*/typescript,solutions/*/hooks,hooks}/**/*', { cwd: root })
      .map((file) => join(root, file))
      .filter((file) => !file.includes('/lib/') && isHook(file));
    const refused: string[] = [];
    for (const file of files) {
      const config = await configOf(file);
      if (!validate(config) || !isRead(config)) refused.push(`${file}: ${JSON.stringify(validate.errors)}`);
    }

    expect(refused).toEqual([]);
    expect(files.length).toBeGreaterThan(30);
  }, 60_000);

  it.each(TAKEN())('takes what the reader takes: %j', (config) => {
    expect([isRead(config), validate(config)]).toEqual([true, true]);
  });

  it.each(REFUSED())('refuses what the reader refuses: %j', (config) => {
    expect([isRead(config), validate(config)]).toEqual([false, false]);
  });

  it('prints the schema of scenario files that is in schemas/', () => {
    const file: unknown = JSON.parse(readFileSync(join(root, 'schemas', 'scenario.schema.json'), 'utf8'));

    expect(JSON.parse(schemaText('scenario'))).toEqual(file);
  });

  it('names what can be asked for', () => {
    expect(() => schemaText('hok')).toThrow('schema: got "hok", expected hook or scenario; did you mean hook?');
  });
});

function isHook(file: string): boolean {
  const stats = statSync(file);
  return stats.isFile() && (file.endsWith('.ts') || (stats.mode & 0o111) !== 0);
}

async function configOf(file: string): Promise<unknown> {
  if (file.endsWith('.ts')) {
    const { default: definition }: { readonly default?: unknown } = await import(file);
    return isHookDefinition(definition) ? definition.config : undefined;
  }
  const env = { ...process.env, HOOKLET_SHELL_LIB: join(root, 'frameworks', 'shell_lib.sh') };
  const text = execFileSync(file, ['--config'], { encoding: 'utf8', env });
  const [document] = readYaml(text, { dialect: 'untyped' });
  return document?.type === 'value' ? document.value : undefined;
}

function one(binding: string, entry: object): object {
  return { configVersion: 'v1', [binding]: [entry] };
}

function TAKEN(): readonly object[] {
  const pods = { kind: 'Pod' };
  const hook = { name: 'a.example.com', rules: [] as readonly object[] };
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] };
  const parent = { kind: 'Page', apiVersion: 'example.com/v1' };
  return [
    { configVersion: 'v1', onStartup: -1 },
    { configVersion: 'v1', settings: { timeout: '0' } },
    { configVersion: 'v1', settings: { record: false, redact: ['spec.auth.password', '$.spec.users[*].token'] } },
    one('schedule', { crontab: '@daily', missed: 'all', missedLimit: 3, queue: '' }),
    one('kubernetes', { ...pods, nameSelector: { matchNames: [] }, fieldSelector: { matchExpressions: [] } }),
    one('kubernetes', { ...pods, concurrency: 'byObject', parallelism: 2, settle: { quiet: '1.5s' } }),
    one('kubernetes', { ...pods, labelSelector: { matchExpressions: [{ key: 'a/b', operator: 'In', values: [''] }] } }),
    one('kubernetes', { ...pods, executeHookOnEvent: [], retry: { deadline: '1h', onExhausted: 'drop' } }),
    one('reconcile', { ...parent, owns: [{ kind: 'Job', apiVersion: 'batch/v1', onChange: 'Recreate' }] }),
    one('kubernetesMutating', { ...hook, rules: [rule], reinvocationPolicy: 'IfNeeded' }),
    one('http', { authentication: { type: 'github', secretFile: '/etc/secret' }, rateLimit: { burst: 1 } }),
  ];
}

function REFUSED(): readonly object[] {
  const pods = { kind: 'Pod' };
  const parent = { kind: 'Page', apiVersion: 'example.com/v1' };
  const hook = { name: 'a.b.example.com' };
  const byName = { matchExpressions: [{ field: 'metadata.name', operator: '=', value: 'a' }] };
  return [
    { configVersion: 'v1' },
    { configVersion: 'v2', onStartup: 1 },
    { configVersion: 'v1', onStartup: 1.5 },
    { configVersion: 'v1', onStartup: 1, settings: { record: 'no' } },
    { configVersion: 'v1', onStartup: 1, settings: { redact: [''] } },
    { configVersion: 'v1', onStartUp: 1 },
    { configVersion: 'v1', schedule: [] },
    { configVersion: 'v1', schedule: { crontab: '@daily' } },
    one('schedule', {}),
    one('schedule', { crontab: '@daily', missedLimit: 3 }),
    one('schedule', { crontab: '@daily', missed: 'all', missedLimit: 1001 }),
    one('schedule', { crontab: '@daily', concurrency: 'replace', group: 'a' }),
    one('schedule', { crontab: '@daily', startingDeadline: '0s' }),
    one('schedule', { crontab: '@daily', jitter: '5 minutes' }),
    one('schedule', { crontab: '@daily', allowFailure: true, retry: { max: 1 } }),
    one('kubernetes', {}),
    one('kubernetes', { kind: '' }),
    one('kubernetes', { ...pods, kimd: 'Pod' }),
    one('kubernetes', { ...pods, jqFilter: '.a', jsonPathFilter: '$.a' }),
    one('kubernetes', { ...pods, executeHookOnEvent: ['Changed'] }),
    one('kubernetes', { ...pods, parallelism: 2 }),
    one('kubernetes', { ...pods, concurrency: 'byObject', queue: 'a' }),
    one('kubernetes', { ...pods, nameSelector: { matchNames: ['a'] }, fieldSelector: byName }),
    one('kubernetes', { ...pods, labelSelector: {} }),
    one('kubernetes', { ...pods, labelSelector: { matchLabels: { a: 1 } } }),
    one('kubernetes', { ...pods, labelSelector: { matchLabels: { 'a b': 'c' } } }),
    one('kubernetes', { ...pods, labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    one('kubernetes', {
      ...pods,
      labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    }),
    one('kubernetes', { ...pods, namespace: {} }),
    one('kubernetes', { ...pods, apiVersion: 'a/b/c' }),
    one('kubernetes', { ...pods, settle: { max: '1m' } }),
    one('kubernetes', { ...pods, retry: {} }),
    one('kubernetes', { ...pods, retry: { onExhausted: 'drop' } }),
    one('kubernetes', { ...pods, retry: { backoff: { factor: 0 } } }),
    one('kubernetes', { ...pods, includeSnapshotsFrom: [] }),
    one('reconcile', pods),
    one('reconcile', { ...parent, kind: 'pages' }),
    one('reconcile', { ...parent, owns: [{ kind: 'Job' }] }),
    one('reconcile', { ...parent, watches: [{ name: 'a', ...parent }] }),
    one('reconcile', { ...parent, concurrency: 0 }),
    one('kubernetesValidating', { name: 'a.b' }),
    one('kubernetesValidating', { ...hook, reinvocationPolicy: 'Never' }),
    one('kubernetesValidating', { ...hook, timeoutSeconds: 31 }),
    one('kubernetesValidating', { ...hook, rules: [{ apiGroups: [''] }] }),
    one('kubernetesMutating', {
      ...hook,
      labelSelector: { matchLabels: { a: 'b' } },
      objectSelector: { matchLabels: {} },
    }),
    one('kubernetesCustomResourceConversion', { name: 'a', crdName: 'a.b.c' }),
    one('http', { name: 'a/b' }),
    one('http', { authentication: { type: 'github' } }),
    one('http', { authentication: { type: 'token', secretFile: '/a' } }),
    one('http', { maxBodyBytes: 0 }),
    { configVersion: 'v1', onStartup: 1, settings: { executionBurst: -1 } },
    { configVersion: 'v1', onStartup: 1, settings: { outcome: { later: [127] } } },
    { configVersion: 'v1', onStartup: 1, settings: { outcome: {} } },
  ];
}
