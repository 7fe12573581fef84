import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runOnce } from '../../src/cli/run/run.ts';
import { describeMetric, describeOperation } from '../../src/effects/describe-operation.ts';
import { parseMetrics } from '../../src/effects/parse-metrics.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { Workspaces } from '../../src/runner/workspace.ts';
import { Metric } from '../../src/sdk/metric.ts';
import { Patch } from '../../src/sdk/patch.ts';
import { hookRig, never } from '../support/hook-rig.ts';
import { readScriptConfig, runScript } from '../support/script-rig.ts';
import { codeBlocks, codes, readDocument, root, section, table, tables } from './markdown.ts';

const hooks = readDocument('docs/hooks.md');
const scripts = codeBlocks(hooks, 'sh').filter((block) => block.startsWith('#!'));
const [definition = '', ownTest = ''] = codeBlocks(hooks, 'ts').filter((block) => !block.includes('environment('));
const [context = ''] = codeBlocks(section(hooks, 'Testing a hook'), 'json');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-docs-'));
  writeFileSync(join(folder, 'pods.ts'), definition);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function executable(text: string): string {
  const path = join(folder, 'hook.sh');
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

describe('the shell hooks of docs/hooks.md', () => {
  it('have configs that are valid', async () => {
    for (const script of scripts) {
      const config = await readScriptConfig(executable(script));
      expect(parseConfig(config, checkFilter)).toMatchObject({ type: 'valid' });
    }
  });

  it('print what is said: the names of Pods', async () => {
    const event = { binding: 'pods', type: 'Event', watchEvent: 'Added', object: {}, filterResult: 'web' };
    const synchronization = { binding: 'pods', type: 'Synchronization', objects: [{ object: {}, filterResult: 'db' }] };

    const run = await runScript(executable(scripts[0] ?? ''), { contexts: [synchronization, event] });

    expect(run).toMatchObject({ printed: ['db', 'web'], patch: '', metrics: '' });
  });

  it('ask for what is said: a ConfigMap', async () => {
    const { patch } = await runScript(executable(scripts[1] ?? ''), { contexts: [{ binding: 'onStartup' }] });

    expect(parseOperations(patch, () => undefined)).toMatchObject({
      operations: [{ operation: 'CreateOrUpdate', name: 'started', namespace: 'default' }],
      warnings: [],
    });
  });
});

describe('the TypeScript hook of docs/hooks.md', () => {
  it('asks for what is said', async () => {
    await using rig = hookRig({ hooksDir: folder });
    const file = { name: 'pods.ts', path: join(folder, 'pods.ts'), type: 'warm' } as const;
    const config = await rig.runner.readConfig(file, never);
    const parsed = parseConfig(config.stdout, checkFilter);
    const written: string[] = [];

    await runOnce({
      executor: rig.runner,
      onOutput: () => {},
      hook: { ...file, bindings: parsed.type === 'valid' ? parsed.bindings : [], settings: {} },
      context,
      describeOperations: (text) => {
        const { operations, warnings } = parseOperations(text, () => undefined);
        return { operations: operations.map(describeOperation), warnings };
      },
      describeMetrics: (text) => {
        const { operations, warnings } = parseMetrics(text);
        return { operations: operations.map(describeMetric), warnings };
      },
      write: (text) => written.push(text),
      signal: never,
    });

    expect(parsed.type).toBe('valid');
    expect(written.join('').replace(/\d+ ms/, '5 ms')).toContain(
      codeBlocks(section(hooks, 'Testing a hook'), 'text')[0],
    );
  });

  it('compiles, and so does its test', { timeout: 60_000 }, async () => {
    writeFileSync(join(folder, 'pods.check.ts'), ownTest);
    const typeRoots = [join(root, 'node_modules', '@types')];
    const compilerOptions = { types: ['node'], typeRoots };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');

    const { stdout } = await execa({
      cwd: folder,
      preferLocal: true,
      localDir: root,
      reject: false,
    })`tsc --pretty false`;

    expect(stdout).toBe('');
  });

  it('passes its test', async () => {
    const sdk = JSON.stringify(pathToFileURL(join(root, 'src', 'sdk', 'index.ts')).href);
    const resolve = `(specifier, context, next) => next(specifier === 'hooklet' ? ${sdk} : specifier, context)`;
    writeFileSync(
      join(folder, 'resolve.mjs'),
      `import { registerHooks } from 'node:module';\nregisterHooks({ resolve: ${resolve} });\n`,
    );
    writeFileSync(join(folder, 'pods.check.ts'), ownTest);

    const run = await execa({ cwd: folder, reject: false })`${process.execPath} --import ./resolve.mjs pods.check.ts`;

    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('the tables of docs/hooks.md', () => {
  it('name the variables of a run', async () => {
    const named = table(section(hooks, 'The environment of a run')).flatMap(([variables]) => codes(variables));
    const workspace = await new Workspaces({ folder, keepTmpFiles: false }).open('pods.sh', []);

    expect(named.toSorted()).toEqual(
      [...Object.keys(workspace.env), 'HOOKLET_SHELL_LIB', 'PATH', 'RUN_ID', 'TRACEPARENT'].toSorted(),
    );
  });

  it('name the methods of patch and metric', () => {
    const rows = tables(section(hooks, 'TypeScript hooks'))[1] ?? [];
    const named = (what: string): readonly string[] => codes(rows.find(([field]) => field === `\`${what}\``)?.[1]);
    const methods = (prototype: object): readonly string[] =>
      Object.getOwnPropertyNames(prototype).filter((name) => !['constructor', 'toString'].includes(name));

    expect(named('metric').toSorted()).toEqual(methods(Metric.prototype).toSorted());
    expect(named('patch')).toEqual(expect.arrayContaining([...methods(Patch.prototype)]));
  });
});
