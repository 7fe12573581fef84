import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { parseJqArguments } from '../../src/cli/jq/arguments.ts';
import { runFilter } from '../../src/cli/jq/filter.ts';
import { applyOperations } from '../../src/effects/apply-operations.ts';
import { HookMetrics } from '../../src/effects/hook-metrics.ts';
import { parseMetrics } from '../../src/effects/parse-metrics.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import { OPERATIONS } from '../../src/effects/read-operation.ts';
import { openFilters } from '../../src/filter/filters.ts';
import type { Binding, Hook } from '../../src/hook/binding.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { writeContexts } from '../../src/hook/context.ts';
import { runIdOf } from '../../src/hook/run-id.ts';
import type { Trigger } from '../../src/hook/trigger.ts';
import { createKinds } from '../../src/kube/discovery/kinds.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { never } from '../support/hook-rig.ts';
import { sandboxCluster } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { codeBlocks, codes, readDocument, section, table } from './markdown.ts';
import { tickOf } from '../support/bindings.ts';

const hooks = readDocument('docs/hooks.md');

function checkJq(expression: string): string | undefined {
  return checkFilter({ type: 'jq', expression });
}

function bindingsOf(config: string): readonly Binding[] {
  const parsed = parseConfig(config, checkFilter);
  if (parsed.type === 'invalid') throw new Error(JSON.stringify(parsed.issues));
  return parsed.bindings;
}

describe('the configs of docs/hooks.md', () => {
  it.each(codeBlocks(hooks, 'yaml').filter((block) => block.startsWith('configVersion')))('are valid: %s', (config) => {
    expect(bindingsOf(config).length).toBeGreaterThan(1);
  });
});

describe('the contexts of docs/hooks.md', () => {
  const part = section(hooks, 'Binding contexts');
  const bindings = bindingsOf(codeBlocks(part, 'yaml')[0] ?? '');
  const node = Buffer.from('{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}');

  function find<T extends Binding['type']>(type: T, name?: string): Extract<Binding, { type: T }> {
    const isWanted = (binding: Binding): binding is Extract<Binding, { type: T }> =>
      binding.type === type && (binding.type === 'onStartup' || name === undefined || binding.name === name);
    const found = bindings.find(isWanted);
    if (found === undefined) throw new Error(`no ${type} binding ${name}`);
    return found;
  }

  function write(trigger: Trigger): unknown {
    const hook: Hook = { name: 'hook.sh', path: '/hook.sh', type: 'process', bindings, settings: {} };
    const chunks = writeContexts({ hook, triggers: [trigger] }, ({ name }) => [
      { namespace: 'default', name: 'x', filterResult: name === 'pods' ? '"Running"' : '"10.0.0.1"' },
    ]);
    return JSON.parse(Buffer.concat(chunks).toString());
  }

  it('are what hooks get', () => {
    const triggers: readonly Trigger[] = [
      { type: 'onStartup', binding: find('onStartup') },
      tickOf(find('schedule'), {
        runId: runIdOf('hook.sh', 'nightly', Date.UTC(2026, 4, 1, 3)),
        scheduledAtMs: Date.UTC(2026, 4, 1, 3),
      }),
      { type: 'synchronization', binding: find('kubernetes', 'pods') },
      {
        type: 'event',
        binding: find('kubernetes', 'nodes'),
        watchEvent: 'Added',
        item: { namespace: '', name: 'n1', object: node },
      },
      { type: 'synchronization', binding: find('kubernetes', 'services') },
    ];

    const documented = codeBlocks(part, 'json').map((block): unknown => JSON.parse(block));
    expect(documented).toEqual(triggers.map(write));
  });
});

describe('the patches of docs/hooks.md', () => {
  const examples = codeBlocks(section(hooks, 'Patches'), 'yaml').join('---\n');

  it('show every operation', () => {
    const { operations, warnings } = parseOperations(examples, checkJq);

    expect(warnings).toEqual([]);
    expect(new Set(operations.map(({ operation }) => operation))).toEqual(new Set(Object.keys(OPERATIONS)));
  });

  it('do what is said of them', async () => {
    const sandbox = await sandboxForTest();
    const web = { name: 'web', namespace: 'default' };
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
    const spec = { selector: { matchLabels: { app: 'web' } }, template };
    await sandbox.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: web, spec });
    const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent: 'hooklet-test' });

    const { operations } = parseOperations(examples, checkJq);
    const options = { client, kinds: createKinds(client), signal: never, log: recordingLogger() };
    const applied = await applyOperations(operations, {
      ...options,
      compileJq: (jq) => openFilters().compilePatch(jq),
    });
    await client.close();

    expect(applied.map(({ operation, change }) => `${operation} ${change}`)).toEqual([
      'Create created',
      'CreateIfNotExists unchanged',
      'CreateOrUpdate updated',
      'Apply applied',
      'MergePatch patched',
      'JSONPatch patched',
      'JQPatch patched',
      'MergePatch patched',
      'Delete deleted',
      'DeleteInBackground deleted',
      'DeleteNonCascading deleted',
      'DeleteInBackground absent',
    ]);
  });

  it('have no field that is unknown', () => {
    const documented = table(section(hooks, 'Patches')).flatMap(([field]) => codes(field));
    const own = Object.values(OPERATIONS).flatMap(({ fields }) => fields);

    expect(own.filter((field) => !documented.includes(field))).toEqual([]);
  });
});

describe('the metrics of docs/hooks.md', () => {
  it('give what is said', () => {
    const part = section(hooks, 'Metrics');
    const { operations, warnings } = parseMetrics(codeBlocks(part, 'json')[0] ?? '');
    const metrics = new HookMetrics();

    metrics.apply('backup.sh', operations);

    expect(warnings).toEqual([]);
    expect(metrics.text()).toBe(codeBlocks(part, 'text')[0]);
  });
});

describe('the commands of docs/hooks.md', () => {
  it('filter prints what is said', async () => {
    const [example = ''] = codeBlocks(hooks, 'console');
    const [, input = '', expression = '', printed] = /echo '(.*)' \| hooklet filter '(.*)'\n(.*\n)/.exec(example) ?? [];
    const written: string[] = [];

    await runFilter([expression], {
      stdin: ReadableStream.from([Buffer.from(input)]),
      stdout: (text) => written.push(text),
      stderr: (text) => written.push(text),
    });

    expect(written.join('')).toBe(printed);
  });

  it('jq takes the flags that are named', () => {
    const line = hooks.split('\n').find((text) => text.startsWith('`hooklet jq` takes ')) ?? '';
    const flags = codes(line)
      .flatMap((code) => code.split(' '))
      .filter((word) => word.startsWith('-'));
    const values: Readonly<Record<string, readonly string[]>> = {
      '--arg': ['a', 'b'],
      '--argjson': ['a', '1'],
      '--slurpfile': ['a', 'b'],
      '--rawfile': ['a', 'b'],
      '--indent': ['1'],
    };

    expect(flags.length).toBeGreaterThan(15);
    for (const flag of flags) expect(() => parseJqArguments([flag, ...(values[flag] ?? []), '.'])).not.toThrow();
  });
});
