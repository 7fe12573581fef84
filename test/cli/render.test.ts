import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderCommand } from '../../src/cli/run/render.ts';
import { builtMain } from '../support/built-program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { runProgram } from '../support/program.ts';

const SHELL_LIB = fileURLToPath(new URL('../../frameworks/shell_lib.sh', import.meta.url));
const CONFIG = {
  name: 'notes',
  apiVersion: 'example.com/v1',
  kind: 'Note',
  owns: [
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { apiVersion: 'apps/v1', kind: 'Deployment', onChange: 'Recreate' },
  ],
  watches: [{ name: 'content', apiVersion: 'v1', kind: 'Secret', for: '.metadata.labels.note' }],
  finalize: true,
};

const MODULE = `import { reconcile } from 'hooklet';
export default reconcile(${JSON.stringify(CONFIG)}, ({ object, owned, watched, finalizing, log }) => {
  const { text, fails, children } = object.spec;
  if (fails) throw new Error('no such text');
  log.info('hello from the hook');
  if (finalizing) return { children: [], finalized: true };
  if (children !== undefined) return { children };
  const counts = { owned: String(owned.ConfigMap.length), watched: String(watched.content.length) };
  return {
    children: [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: object.metadata.name }, data: { text, ...counts } },
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 2 } },
    ],
    status: { written: true },
    conditions: [{ type: 'Built', status: 'True', reason: 'Done' }],
    events: [{ type: 'Normal', reason: 'Written' }],
  };
});
`;

const SCRIPT = `#!/usr/bin/env bash
source ${SHELL_LIB}
function __config__() { echo '${JSON.stringify({ configVersion: 'v1', reconcile: [CONFIG] })}'; }
function __on_reconcile::notes() {
  context::jq '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: .object.metadata.name},
    data: {text: .object.spec.text, owned: (.owned.ConfigMap | length | tostring),
      watched: (.watched.content | length | tostring)}}' | hooklet::child
  echo '{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2}}' |
    hooklet::child
}
hook::run "$@"
`;

const WEB = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
`;
const NOTE = `apiVersion: v1
data:
  owned: "0"
  text: hello
  watched: "0"
kind: ConfigMap
metadata:
  name: a
  namespace: shop
`;

let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'bin'));
  write('notes.js', MODULE);
  write('notes.sh', SCRIPT);
  chmodSync(join(folder.path, 'notes.sh'), 0o755);
  write('bin/hooklet', `#!/bin/sh\nexec '${process.execPath}' '${builtMain()}' "$@"\n`);
  chmodSync(join(folder.path, 'bin/hooklet'), 0o755);
});

afterAll(() => folder[Symbol.dispose]());

function write(name: string, text: string): string {
  writeFileSync(join(folder.path, name), text);
  return name;
}

function note(spec: object = { text: 'hello' }, metadata: object = {}): object {
  return { apiVersion: 'example.com/v1', kind: 'Note', metadata: { name: 'a', namespace: 'shop', ...metadata }, spec };
}

function file(name: string, ...objects: readonly object[]): string {
  return write(name, objects.map((object) => JSON.stringify(object)).join('\n'));
}

async function hooklet(args: readonly string[], stdin = '') {
  const env = { PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}` };
  return runProgram(args, { cwd: folder.path, stdin, env });
}

const configMap = (name: string, data: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', ...metadata },
  data,
});

describe('hooklet render', () => {
  it.each(['notes.js', 'notes.sh'])('prints the children of %s alone, sorted, twice the same', async (hook) => {
    const args = ['render', hook, '--object', file('note.json', note())];
    const [first, second] = await Promise.all([hooklet(args), hooklet(args)]);

    expect([first.exitCode, first.stdout]).toEqual([0, `${WEB}---\n${NOTE}`]);
    expect(second.stdout).toBe(first.stdout);
  });

  it('says on standard error what else the hook says', async () => {
    const { stderr } = await hooklet(['render', 'notes.js', '--object', file('note.json', note()), '-o', 'json']);

    expect(stderr).toContain('hello from the hook');
    expect(stderr).toContain('result condition Built=True Done\nresult status {"written":true}\n');
    expect(stderr).toContain('result event Normal Written\n');
  });

  it('shows the hook the owned and the watched objects, and prints a diff to what should be there', async () => {
    const owned = file('owned.json', configMap('a', { text: 'old' }), configMap('gone', {}));
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'shop', labels: { note: 'a' } },
    };
    const other = { ...secret, metadata: { name: 't', namespace: 'shop' } };
    const given = ['--object', '-', '--owned', owned, '--watched', `content=${file('content.json', secret, other)}`];

    const { exitCode, stdout, stderr } = await hooklet(['render', 'notes.js', ...given], JSON.stringify(note()));

    expect(stderr).toContain('warning: watched content: v1 Secret shop/t is left out by for\n');
    expect([exitCode, stdout]).toEqual([
      0,
      [
        '--- /dev/null',
        '+++ apps/v1/Deployment/shop/web',
        '@@ -0,0 +1,7 @@',
        ...WEB.trim()
          .split('\n')
          .map((line) => `+${line}`),
        '--- v1/ConfigMap/shop/a',
        '+++ v1/ConfigMap/shop/a',
        '@@ -1,6 +1,8 @@',
        ' apiVersion: v1',
        ' data:',
        '-  text: old',
        '+  owned: "2"',
        '+  text: hello',
        '+  watched: "1"',
        ' kind: ConfigMap',
        ' metadata:',
        '   name: a',
        '--- v1/ConfigMap/shop/gone',
        '+++ /dev/null',
        '@@ -1,6 +0,0 @@',
        '-apiVersion: v1',
        '-data: {}',
        '-kind: ConfigMap',
        '-metadata:',
        '-  name: gone',
        '-  namespace: shop',
        '# 1 created, 1 changed, 1 deleted, 0 unchanged',
        '',
      ].join('\n'),
    ]);
  });

  it('reports all problems of an answer, and exits with 1', async () => {
    const children = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
      configMap('b', {}, { namespace: 'other' }),
      configMap('c', {}),
      configMap('c', {}),
    ];
    const object = file('bad.json', note({ children }));

    const { exitCode, stdout, stderr } = await hooklet(['render', 'notes.js', '--object', object]);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('4 problem(s) with children of Note shop/a:');
    expect(stderr).toContain('children[0]: metadata.name is missing');
    expect(stderr).toContain('the kind v1/Secret is not in owns');
    expect(stderr).toContain('the child is in the namespace other, its parent in shop');
    expect(stderr).toContain('children[4] is the same object as children[3]');
  });

  it('exits with 1 when the hook failed, and prints no children', async () => {
    const { exitCode, stdout, stderr } = await hooklet([
      'render',
      'notes.js',
      '--object',
      file('fails.json', note({ fails: true })),
    ]);

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('no such text');
  });

  it('runs the hook as for a parent that is being deleted', async () => {
    const args = ['render', 'notes.js', '--object', file('note.json', note()), '--finalizing'];
    const { exitCode, stdout, stderr } = await hooklet([...args, '--owned', file('one.json', configMap('a', {}))]);

    expect([exitCode, stdout.split('\n').at(-2)]).toEqual([0, '# 0 created, 0 changed, 1 deleted, 0 unchanged']);
    expect(stderr).toContain('result finalized\n');
  });

  it.each([
    ['no object', {}, 'give it the object with --object FILE'],
    ['two inputs', { object: '-', owned: '-' }, 'standard input is given twice'],
    ['another format', { object: '-', output: 'text' }, 'expected one of yaml, json, diff'],
    ['no name', { object: 'note.json', watched: ['note.json'] }, 'expected NAME=FILE'],
  ])('refuses %s', async (_, flags, message) => {
    const object = join(folder.path, file('note.json', note()));
    const given = 'object' in flags && flags.object === 'note.json' ? { ...flags, object } : flags;

    await expect(renderCommand(join(folder.path, 'notes.js'), given)).rejects.toThrow(message);
  });
});

describe('hooklet run --event Reconcile', () => {
  it('prints what the hook said, then its children', async () => {
    const args = ['run', 'notes.js', '--event', 'Reconcile', '--object', file('note.json', note())];
    const { exitCode, stdout } = await hooklet(args);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('result status {"written":true}\n');
    expect(stdout.slice(stdout.indexOf('---\n'))).toBe(`---\n${WEB}---\n${NOTE}`);
  });
});
