import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workspaces } from '../../src/runner/workspace.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function openIn(workspaces: Workspaces, hook = 'hook', contexts: readonly Uint8Array[] = [bytes('[]')]) {
  const workspace = await workspaces.open(hook, contexts);
  const variable = (name: string): string => workspace.env[name] ?? '';
  return { workspace, variable };
}

async function workspaceIn(folder: string, contexts?: readonly Uint8Array[]) {
  return openIn(new Workspaces({ folder, keepTmpFiles: false }), 'hook', contexts);
}

/** The files of a run on disk. */
function inodes(env: Readonly<Record<string, string>>): readonly number[] {
  return [...new Set(Object.values(env))].map((path) => statSync(path).ino);
}

describe('a workspace', () => {
  it('names seven files that only the owner may read, in a folder that only the owner may enter', async () => {
    using tmp = temporaryFolder();

    const { workspace, variable } = await workspaceIn(tmp.path);

    expect(Object.keys(workspace.env).toSorted()).toEqual([
      'ADMISSION_RESPONSE_PATH',
      'BINDING_CONTEXT_PATH',
      'CONVERSION_RESPONSE_PATH',
      'KUBERNETES_PATCH_PATH',
      'METRICS_PATH',
      'RESULT_PATH',
      'VALIDATING_RESPONSE_PATH',
    ]);
    expect(variable('VALIDATING_RESPONSE_PATH')).toBe(variable('ADMISSION_RESPONSE_PATH'));
    for (const path of Object.values(workspace.env)) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(variable('METRICS_PATH'))).mode & 0o777).toBe(0o700);
  });

  it('makes the outputs empty', async () => {
    using tmp = temporaryFolder();

    const { workspace } = await workspaceIn(tmp.path);

    expect(await workspace.readOutputs()).toEqual({
      patch: '',
      metrics: '',
      admission: '',
      conversion: '',
      result: '',
    });
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
    writeFileSync(variable('RESULT_PATH'), 'how it ended');

    expect(await workspace.readOutputs()).toEqual({
      patch: 'a patch',
      metrics: 'a metric',
      admission: 'an answer',
      conversion: 'objects',
      result: 'how it ended',
    });
    expect(await workspace.readResult()).toBe('how it ended');
  });

  it('takes an output that the hook deleted for an empty one', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    rmSync(variable('METRICS_PATH'));

    expect((await workspace.readOutputs()).metrics).toBe('');
  });

  it('is still whole in the turn in which it is closed, and leaves nothing soon after', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    writeFileSync(variable('CONVERSION_RESPONSE_PATH'), 'objects');

    workspace.close();

    expect(readFileSync(variable('CONVERSION_RESPONSE_PATH'), 'utf8')).toBe('objects');
    await until(() => expect(readdirSync(tmp.path)).toEqual([]));
  });

  it('leaves nothing soon after it is closed, whatever the hook made of it', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    const target = join(tmp.path, 'target');
    writeFileSync(target, 'not of the hook');
    rmSync(variable('METRICS_PATH'));
    symlinkSync(target, variable('METRICS_PATH'));
    rmSync(variable('KUBERNETES_PATCH_PATH'));
    mkdirSync(join(variable('KUBERNETES_PATCH_PATH'), 'deep'), { recursive: true });
    truncateSync(variable('CONVERSION_RESPONSE_PATH'), 1e9);
    execFileSync('mkfifo', [join(dirname(variable('METRICS_PATH')), 'more')]);

    workspace.close();

    await until(() => expect(readdirSync(tmp.path)).toEqual(['target']));
    expect(readFileSync(target, 'utf8')).toBe('not of the hook');
  });

  it('reports that somebody removed its files', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    const before = workspace.isThere();

    rmSync(dirname(variable('METRICS_PATH')), { recursive: true });

    expect([before, workspace.isThere()]).toEqual([true, false]);
    expect(() => workspace.close()).not.toThrow();
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

    expect(new Set([...Object.values(one.workspace.env), ...Object.values(other.workspace.env)]).size).toBe(12);
  });

  it('never give a run a name that another run had', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });
    const names = new Set<string>();

    for (let i = 0; i < 50; i++) {
      const { workspace } = await openIn(workspaces, 'a.sh');
      for (const path of Object.values(workspace.env)) names.add(path);
      workspace.close();
    }

    expect(names.size).toBe(300);
  });

  it('give no run a file that what an earlier run left behind still has open', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: false });
    const { workspace, variable } = await openIn(workspaces);
    // It opens the file now, and writes on request: through its open descriptor, and by name.
    const script = 'exec 3>> "$F"; echo up; read -r _; echo late >&3; echo late 2> /dev/null >> "$F"; echo done';
    const env = { ...process.env, F: variable('KUBERNETES_PATCH_PATH') };
    const left = spawn('bash', ['-c', script], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    await once(left.stdout, 'data');
    const before = inodes(workspace.env);
    workspace.close();
    const next = await openIn(workspaces);

    left.stdin.write('go\n');
    await once(left.stdout, 'data');
    await once(left, 'exit');

    expect(before).toHaveLength(6);
    expect((await next.workspace.readOutputs()).patch).toBe('');
    next.workspace.close();
    await until(() => expect(readdirSync(tmp.path)).toEqual([]));
  });

  it('keep all files of each run where that is asked', async () => {
    using tmp = temporaryFolder();
    const workspaces = new Workspaces({ folder: tmp.path, keepTmpFiles: true });

    for (const run of ['[1]', '[2]']) (await openIn(workspaces, 'a/hook', [bytes(run)])).workspace.close();

    const kept = readdirSync(tmp.path).toSorted();
    expect(kept.map((name) => name.slice(0, 9))).toEqual(['a-hook-1-', 'a-hook-2-']);
    expect(kept.map((name) => readFileSync(join(tmp.path, name, 'binding-context.json'), 'utf8'))).toEqual([
      '[1]',
      '[2]',
    ]);
  });
});
