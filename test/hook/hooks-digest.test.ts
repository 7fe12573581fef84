import { chmod, mkdir, mkdtemp, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { HooksDigest } from '../../src/hook/hooks-digest.ts';

async function folder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'digest-'));
  onTestFinished(async () => rm(root, { recursive: true, force: true }));
  return root;
}

async function put(root: string, files: Readonly<Record<string, string>>, mode = 0o755): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
    await chmod(join(root, name), mode);
  }
}

async function digestOf(hooksDir: string, version = '1'): Promise<string> {
  return new HooksDigest({ hooksDir, version }).current();
}

async function digestOfFiles(files: Readonly<Record<string, string>>, mode?: number): Promise<string> {
  const root = await folder();
  await put(root, files, mode);
  return digestOf(root);
}

/** Mounts files as a kubelet does; `mode` is that of all. */
async function mounted(files: Readonly<Record<string, string>>, mode: number): Promise<string> {
  const root = await folder();
  await put(join(root, '..2026_01_01'), files, mode);
  await symlink('..2026_01_01', join(root, '..data'));
  const tops = new Set(Object.keys(files).map((name) => name.split('/')[0] ?? ''));
  for (const top of tops) await symlink(join('..data', top), join(root, top));
  return root;
}

describe('the digest of a hooks folder', () => {
  it('is SHA-256 in hex, and the same for the same files in another folder', async () => {
    const [one, other] = [await digestOfFiles({ a: '1', 'b/c': '2' }), await digestOfFiles({ 'b/c': '2', a: '1' })];

    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(other).toBe(one);
  });

  it('is another with another byte, path, mode, file or version', async () => {
    const root = await folder();
    await put(root, { a: '1', 'b/c': '2' });
    const all = await Promise.all([
      digestOf(root),
      digestOf(root, '2'),
      digestOfFiles({ a: '1', 'b/c': '3' }),
      digestOfFiles({ a: '1', 'b/d': '2' }),
      digestOfFiles({ a: '1', 'b/c': '2' }, 0o644),
      digestOfFiles({ a: '1', 'b/c': '2', 'lib/d': '' }),
      digestOfFiles({ a: '12', 'b/c': '' }),
    ]);

    expect(new Set(all).size).toBe(all.length);
  });

  it('leaves out node_modules, .git and other folders whose names begin with a dot', async () => {
    const others = { 'node_modules/x': '1', '.git/HEAD': '2', 'b/.cache/y': '3', 'b/node_modules/z': '4' };

    expect(await digestOfFiles({ a: '1', ...others })).toBe(await digestOfFiles({ a: '1' }));
  });

  it.each([0o644, 0o755])(
    'is that of the image for a folder that is mounted from a ConfigMap, with the mode %o',
    async (mode) => {
      const image = await folder();
      await put(image, { 'a.sh': '#!/bin/sh\n' });
      await put(image, { 'b.ts': 'export default defineHook({})', 'c.yaml': 'x: 1' }, 0o644);
      const files = { 'a.sh': '#!/bin/sh\n', 'b.ts': 'export default defineHook({})', 'c.yaml': 'x: 1' };

      expect(await digestOf(await mounted(files, mode))).toBe(await digestOf(image));
    },
  );

  it('has the files of a folder that is mounted from a ConfigMap with paths', async () => {
    const files = { 'a.sh': '#!/bin/sh\n', 'lib/b': '1' };

    expect(await digestOf(await mounted(files, 0o755))).toBe(await digestOfFiles(files));
    expect(await digestOf(await mounted({ ...files, 'lib/b': '2' }, 0o755))).not.toBe(await digestOfFiles(files));
  });

  it('follows no link to a folder elsewhere, and none to a folder that it has', async () => {
    const root = await folder();
    await put(root, { 'b/c': '1' });
    const before = await digestOf(root);
    await symlink(tmpdir(), join(root, 'elsewhere'));
    await symlink('b', join(root, 'same'));
    await symlink('..', join(root, 'b/loop'));

    expect(await digestOf(root)).toBe(before);
  });

  it('sees a change after 5 s, of which the time of the file says nothing', async () => {
    const root = await folder();
    await put(root, { a: '1', b: '2' });
    const at = new Date(1_700_000_000_000);
    await utimes(join(root, 'a'), at, at);
    const clock = { ms: 0 };
    const digest = new HooksDigest({ hooksDir: root, version: '1', elapsed: () => clock.ms });
    const first = await digest.current();
    await put(root, { new: '3' });
    await rename(join(root, 'new'), join(root, 'a'));
    await utimes(join(root, 'a'), at, at);

    clock.ms = 4999;
    const before = await digest.current();
    clock.ms = 5000;
    const after = await digest.current();

    expect(before).toBe(first);
    expect(after).toBe(await digestOf(root));
    expect(after).not.toBe(first);
  });

  it('is refused for a folder that is not there, and is there 5 s later', async () => {
    const root = join(await folder(), 'hooks');
    const clock = { ms: 0 };
    const digest = new HooksDigest({ hooksDir: root, version: '1', elapsed: () => clock.ms });

    await expect(digest.current()).rejects.toThrow(UsageError);
    await expect(digest.current()).rejects.toThrow(`${root} cannot be read: ENOENT`);
    await put(root, { a: '1' });
    clock.ms = 5000;
    expect(await digest.current()).toBe(await digestOfFiles({ a: '1' }));
  });

  it('is refused for more than 1073741824 bytes', async () => {
    const root = await folder();
    await put(root, { a: '' });
    await truncate(join(root, 'a'), 1024 ** 3 + 1);

    await expect(digestOf(root)).rejects.toThrow(`${root} holds more than 1073741824 bytes`);
  });

  it('is refused for more than 20000 files', async () => {
    const root = await folder();
    await put(root, { 'f/0': '' });
    for (let at = 1; at < 20_001; at += 1) await symlink('0', join(root, 'f', String(at)));

    await expect(digestOf(root)).rejects.toThrow(`${root} holds more than 20000 files`);
  }, 30_000);
});
