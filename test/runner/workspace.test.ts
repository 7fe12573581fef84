import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspaces } from '../../src/runner/workspace.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function openIn(workspaces: Workspaces, hook = 'hook', contexts: readonly Uint8Array[] = [bytes('[]')]) {
  const workspace = await workspaces.open(hook, contexts);
  const variable = (name: string): string => workspace.env[name] ?? '';
  return { workspace, variable };
}

async function workspaceIn(folder: string, contexts?: readonly Uint8Array[]) {
  return openIn(new Workspaces({ folder, keepTmpFiles: false }), 'hook', contexts);
}

/** The files of a run as the system knows them. */
function inodes(env: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(env).map(([name, path]) => [name, statSync(path).ino]));
}

describe('a workspace', () => {
  it('names six files that only the owner may read', async () => {
    using tmp = temporaryFolder();

    const { workspace, variable } = await workspaceIn(tmp.path);

    expect(Object.keys(workspace.env).toSorted()).toEqual([
      'ADMISSION_RESPONSE_PATH',
      'BINDING_CONTEXT_PATH',
      'CONVERSION_RESPONSE_PATH',
      'KUBERNETES_PATCH_PATH',
      'METRICS_PATH',
      'VALIDATING_RESPONSE_PATH',
    ]);
    expect(variable('VALIDATING_RESPONSE_PATH')).toBe(variable('ADMISSION_RESPONSE_PATH'));
    for (const path of Object.values(workspace.env)) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('makes the outputs empty', async () => {
    using tmp = temporaryFolder();

    const { workspace } = await workspaceIn(tmp.path);

    expect(workspace.readOutputs()).toEqual({ patch: '', metrics: '', admission: '', conversion: '' });
  });

  it.each([
    ['a small context', 1],
    ['a large one', 300],
  ])('writes %s from its pieces', async (_size, length) => {
    using tmp = temporaryFolder();
    const pieces = Array.from({ length: 2000 }, (_, i) => `${i}${'é'.repeat(length)}`);

    const { variable } = await workspaceIn(tmp.path, pieces.map(bytes));

    expect(readFileSync(variable('BINDING_CONTEXT_PATH'), 'utf8')).toBe(pieces.join(''));
  });

  it('writes nothing for no pieces', async () => {
    using tmp = temporaryFolder();

    const { variable } = await workspaceIn(tmp.path, []);

    expect(readFileSync(variable('BINDING_CONTEXT_PATH'), 'utf8')).toBe('');
  });

  it('reads what the hook wrote', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    writeFileSync(variable('KUBERNETES_PATCH_PATH'), 'a patch');
    writeFileSync(variable('METRICS_PATH'), 'a metric');
    writeFileSync(variable('VALIDATING_RESPONSE_PATH'), 'an answer');
    writeFileSync(variable('CONVERSION_RESPONSE_PATH'), 'objects');

    expect(workspace.readOutputs()).toEqual({
      patch: 'a patch',
      metrics: 'a metric',
      admission: 'an answer',
      conversion: 'objects',
    });
  });

  it('takes an output that the hook deleted for an empty one', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    rmSync(variable('METRICS_PATH'));

    expect(workspace.readOutputs().metrics).toBe('');
  });

  it('does not wait for a pipe that the hook put in the place of an output', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    rmSync(variable('METRICS_PATH'));
    execFileSync('mkfifo', [variable('METRICS_PATH')]);

    expect(() => workspace.readOutputs()).toThrow('hook-1-metrics.json is not a file any more');
  });

  it('leaves nothing of what was written, whatever the hook made of its files', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    rmSync(variable('METRICS_PATH'));
    rmSync(variable('KUBERNETES_PATCH_PATH'));
    mkdirSync(join(variable('KUBERNETES_PATCH_PATH'), 'deep'), { recursive: true });
    writeFileSync(variable('CONVERSION_RESPONSE_PATH'), 'objects');

    workspace.close();

    const sizes = readdirSync(tmp.path).map((name) => [name, statSync(join(tmp.path, name)).size]);
    expect(sizes).toEqual([
      ['hook-1-admission-response.json', 0],
      ['hook-1-binding-context.json', 1],
    ]);
  });

  it('rejects where no file can be made', async () => {
    using tmp = temporaryFolder();

    await expect(workspaceIn(join(tmp.path, 'missing'))).rejects.toThrow('ENOENT');
  });
});

describe('Workspaces', () => {
  it('give two runs of a hook at the same time files of their own', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });

    const [one, other] = [await openIn(workspaces), await openIn(workspaces)];

    expect(new Set([...Object.values(one.workspace.env), ...Object.values(other.workspace.env)]).size).toBe(10);
  });

  it('give the next run of a hook the same files, but for outputs that were written', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });
    const { workspace, variable } = await openIn(workspaces, 'a.sh');
    const before = inodes(workspace.env);
    const held = openSync(variable('KUBERNETES_PATCH_PATH'), 'w');
    writeFileSync(held, 'a patch');
    workspace.close();

    const next = await openIn(workspaces, 'a.sh', [bytes('[]')]);
    const after = inodes(next.workspace.env);
    closeSync(held);

    expect(Object.keys(after).filter((name) => after[name] === before[name])).toEqual([
      'BINDING_CONTEXT_PATH',
      'METRICS_PATH',
      'VALIDATING_RESPONSE_PATH',
      'ADMISSION_RESPONSE_PATH',
      'CONVERSION_RESPONSE_PATH',
    ]);
    expect(next.workspace.readOutputs().patch).toBe('');
    expect(readFileSync(next.variable('BINDING_CONTEXT_PATH'), 'utf8')).toBe('[]');
  });

  it('write each context over what a run made of the one before', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });
    const large = `["${'x'.repeat(500_000)}"]`;
    const read: string[] = [];

    for (const text of ['["long"]', '[]', large, '[1]', '']) {
      const { workspace, variable } = await openIn(workspaces, 'a.sh', [bytes(text)]);
      read.push(readFileSync(variable('BINDING_CONTEXT_PATH'), 'utf8'));
      appendFileSync(variable('BINDING_CONTEXT_PATH'), 'what the hook added');
      workspace.close();
    }

    expect(read).toEqual(['["long"]', '[]', large, '[1]', '']);
  });

  it('leave alone what a hook keeps of its files under another name', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });
    const kept = join(tmp.path, 'kept.json');
    const { workspace, variable } = await openIn(workspaces, 'a.sh', [bytes('[1]')]);
    linkSync(variable('BINDING_CONTEXT_PATH'), kept);
    workspace.close();

    await openIn(workspaces, 'a.sh', [bytes('[2]')]);

    expect(readFileSync(kept, 'utf8')).toBe('[1]');
  });

  it('give no hook the files of another', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });
    const one = await openIn(workspaces, 'a/b.sh');
    one.workspace.close();

    const other = await openIn(workspaces, 'a-b.sh');

    expect(Object.values(other.workspace.env)).not.toContain(one.variable('METRICS_PATH'));
  });

  it.each([
    ['wrote to after its run', (path: string) => appendFileSync(path, 'late')],
    ['took the rights from', (path: string) => chmodSync(path, 0o400)],
    ['deleted', (path: string) => rmSync(path)],
    ['replaced by a link', (path: string) => (rmSync(path), symlinkSync('/dev/null', path))],
    ['replaced by a folder', (path: string) => (rmSync(path), mkdirSync(path))],
  ])('do not give on a file that a hook %s', async (_what, spoil) => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });
    const { workspace, variable } = await openIn(workspaces);
    workspace.close();
    spoil(variable('METRICS_PATH'));

    const next = await openIn(workspaces);

    expect(next.variable('METRICS_PATH')).toBe(variable('METRICS_PATH'));
    const stats = lstatSync(next.variable('METRICS_PATH'));
    expect({ isFile: stats.isFile(), mode: stats.mode & 0o777, size: stats.size }).toEqual({
      isFile: true,
      mode: 0o600,
      size: 0,
    });
  });

  it('keep all files of each run where that is asked', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: true });

    for (const run of ['[1]', '[2]']) (await openIn(workspaces, 'hook', [bytes(run)])).workspace.close();

    expect(readFileSync(join(tmp.path, 'hook-1-binding-context.json'), 'utf8')).toBe('[1]');
    expect(readFileSync(join(tmp.path, 'hook-2-binding-context.json'), 'utf8')).toBe('[2]');
    expect(readdirSync(tmp.path)).toHaveLength(10);
  });
});
