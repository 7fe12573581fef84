import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorkspace } from '../../src/runner/workspace.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function workspaceIn(folder: string, contexts: readonly Uint8Array[] = [bytes('[]')]) {
  const workspace = await openWorkspace(join(folder, 'hook-1-'), contexts);
  const variable = (name: string): string => workspace.env[name] ?? '';
  return { workspace, variable };
}

describe('openWorkspace', () => {
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

  it('removes its files, whatever the hook made of them', async () => {
    using tmp = temporaryFolder();
    const { workspace, variable } = await workspaceIn(tmp.path);
    rmSync(variable('METRICS_PATH'));
    rmSync(variable('KUBERNETES_PATCH_PATH'));
    mkdirSync(join(variable('KUBERNETES_PATCH_PATH'), 'deep'), { recursive: true });

    workspace.remove();

    expect(readdirSync(tmp.path)).toEqual([]);
  });

  it('rejects where no file can be made', async () => {
    using tmp = temporaryFolder();

    await expect(openWorkspace(join(tmp.path, 'missing', 'hook-1-'), [])).rejects.toThrow('ENOENT');
  });
});
