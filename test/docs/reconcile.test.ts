import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { parseResult } from '../../src/effects/read-result.ts';
import { parseConfig, type ParsedConfig } from '../../src/hook/config.ts';
import { checkFilter } from '../../src/units/filter-check.ts';
import { hookRig, never, temporaryFolder } from '../support/hook-rig.ts';
import { sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { readScriptConfig, runScript } from '../support/script-rig.ts';
import { codeBlocks, codes, readDocument, section, table } from './markdown.ts';

const reconcile = readDocument('docs/reconcile.md');
const answer = section(reconcile, 'The answer');
const SHELL_LIB = fileURLToPath(new URL('../../frameworks/shell_lib.sh', import.meta.url));
const SCOPE = { contexts: [{ object: 'note', isReconcile: true }] };
const CONTEXT = {
  attempt: 1,
  binding: 'notes',
  finalizing: false,
  object: { apiVersion: 'example.com/v1', kind: 'Note', metadata: { name: 'a' }, spec: { text: 'hello' } },
  owned: { ConfigMap: [] },
  reason: 'start',
  runId: 'x',
  type: 'Reconcile',
  watched: {},
};

function read(config: string): ParsedConfig {
  return parseConfig(config, checkFilter);
}

/** The fields of the table of a heading; one row may have several. */
function documented(heading: string): readonly string[] {
  return table(section(reconcile, heading)).flatMap(([field]) => codes(field));
}

/** The fields the code knows at a place: the message about an unknown one lists them. */
function knownFields(entry: string): readonly string[] {
  const config = read(`{configVersion: v1, reconcile: [{apiVersion: v1, kind: Secret, ${entry}}]}`);
  const message = config.type === 'invalid' ? config.issues.map((issue) => issue.message).join('\n') : '';
  return /unknown field, expected one of ([^(]*\w)/.exec(message)?.[1]?.split(', ') ?? [];
}

describe('the tables of docs/reconcile.md', () => {
  it.each([
    { heading: 'The binding', entry: 'zzzzzzzzzz: 1' },
    { heading: '`owns`', entry: 'owns: [{zzzzzzzzzz: 1}]' },
    { heading: '`watches`', entry: 'watches: [{zzzzzzzzzz: 1}]' },
  ])('have every field: $heading', ({ heading, entry }) => {
    expect(documented(heading).toSorted()).toEqual(knownFields(entry).toSorted());
  });

  it('have every member of a context', () => {
    const members = [...Object.keys(CONTEXT), 'snapshots', 'previous', 'state'];

    expect(documented('The context').toSorted()).toEqual(members.toSorted());
  });
});

describe('the configs of the pages about runs', () => {
  const pages = ['docs/reconcile.md', 'docs/queues.md', 'docs/outcomes.md'];

  it.each(pages)('are valid: %s', (page) => {
    const configs = codeBlocks(readDocument(page), 'yaml').filter((block) => block.startsWith('configVersion'));

    expect(configs.length).toBeGreaterThan(0);
    for (const config of configs) expect(read(config)).toMatchObject({ type: 'valid' });
  });
});

describe('the hooks of docs/reconcile.md', () => {
  it('say in shell what should be there', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'hook.sh');
    writeFileSync(
      path,
      (codeBlocks(answer, 'bash')[0] ?? '').replace('${HOOKLET_SHELL_LIB:-/shell_lib.sh}', SHELL_LIB),
    );
    chmodSync(path, 0o755);

    expect(read(await readScriptConfig(path))).toMatchObject({ bindings: [{ type: 'reconcile', name: 'notes' }] });
    expectNote((await runScript(path, { contexts: [CONTEXT] })).result);
  });

  it('say in TypeScript what should be there', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'hook.ts');
    writeFileSync(path, codeBlocks(answer, 'ts')[0] ?? '');
    await using rig = hookRig({ hooksDir: folder.path });
    const file = { name: 'hook.ts', path, type: 'warm' } as const;
    const parsed = read((await rig.runner.readConfig(file, never)).stdout);
    const bindings = parsed.type === 'valid' ? parsed.bindings : [];
    const contexts = [Buffer.from(JSON.stringify([CONTEXT]))];

    const { outputs } = await rig.run({ hook: { ...file, bindings, settings: {} }, contexts }, never);

    expect(bindings).toMatchObject([{ type: 'reconcile', name: 'notes' }]);
    expectNote(outputs.result);
  });
});

function expectNote(text: string): void {
  const { result } = parseResult(text, SCOPE);
  const one = result?.contexts.get(0) ?? result;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: 'hello' } };
  expect(one?.children).toEqual([{ object, after: [] }]);
  expect(one?.status).toEqual({ written: true });
}

describe('the reconcile hook of README.md', () => {
  it('makes a web server for each ConfigMap, and makes it again', async () => {
    const hook = codeBlocks(readDocument('README.md'), 'sh').find((block) => block.includes('reconcile')) ?? '';
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    const site = { name: 'blog', namespace: 'default', labels: { site: 'yes' } };
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: site, data: { 'index.html': 'hello' } });
    await using _operator = startOperator({ hooks: { 'sites.sh': hook }, connect: sandboxCluster(sandbox) });
    const path = '/apis/apps/v1/namespaces/default/deployments/blog';
    const isThere = async (): Promise<void> => expect((await ask('GET', path)).status).toBe(200);

    await until(isThere);
    const made = (await ask('GET', path)).text;
    await ask('DELETE', path);
    await until(isThere);

    expect(hook.trim().split('\n').length).toBeLessThanOrEqual(15);
    expect(made).toContain('"configMap":{"name":"blog"');
    expect(made).toContain('"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"blog"');
  });
});
