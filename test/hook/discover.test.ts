import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { discoverHooks } from '../../src/hook/discover.ts';

const WARM = "import { defineHook } from 'hooklet';\nexport default defineHook({});\n";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'discover-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function put(path: string, { mode = 0o755, text = '#!/bin/sh\n' } = {}): Promise<void> {
  const full = join(root, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, text);
  await chmod(full, mode);
}

/** The hooks found, as `name` or `name (warm)`, and the warnings as `path: message`. */
async function discover(directory = root) {
  const { files, warnings } = await discoverHooks(directory);
  return {
    hooks: files.map(({ name, type }) => (type === 'warm' ? `${name} (warm)` : name)),
    warnings: warnings.map(({ path, message }) => `${path.slice(directory.length + 1)}: ${message}`),
  };
}

async function sleepTurn(): Promise<boolean> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return false;
}

describe('discoverHooks', () => {
  it('finds executables at any depth, ordered by their whole paths', async () => {
    for (const path of ['b', 'a/b', 'a-b', 'A', 'a/c/d.py', 'ä']) await put(path);

    expect(await discover()).toEqual({ hooks: ['A', 'a-b', 'a/b', 'a/c/d.py', 'b', 'ä'], warnings: [] });
  });

  it('gives absolute paths', async () => {
    await put('sub/hook');

    const { files } = await discoverHooks(root);

    expect(files).toEqual([{ name: 'sub/hook', path: join(root, 'sub/hook'), type: 'process' }]);
  });

  it('leaves out what is hidden, data and documents, but not .yml', async () => {
    const ignored = ['.hidden', '.git/hook', 'a.yaml', 'a.json', 'a.md', 'a.txt', 'node_modules/x/bin', 'sub/.x/hook'];
    for (const path of [...ignored, 'a.yml', 'a.YAML', 'sub/a.md.sh']) await put(path);

    expect(await discover()).toEqual({ hooks: ['a.YAML', 'a.yml', 'sub/a.md.sh'], warnings: [] });
  });

  it('warns of files without executable permissions', async () => {
    await put('hook', { mode: 0o644 });
    await put('only-group', { mode: 0o654 });
    await put('README.md', { mode: 0o644 });

    expect(await discover()).toEqual({
      hooks: ['only-group'],
      warnings: ['hook: no executable permissions, chmod +x is required to run this hook'],
    });
  });

  it('leaves out lib directories and warns of executables in the topmost', async () => {
    await put('lib/common.sh', { mode: 0o644 });
    await put('lib/deep/tool');
    await put('sub/lib/tool');
    await put('library/hook');

    expect(await discover()).toEqual({
      hooks: ['library/hook'],
      warnings: ["lib/deep/tool: file has executable permissions and is located in the ignored 'lib' directory"],
    });
  });

  it.each(['lib', '.hooks', 'node_modules'])('takes a folder called %s as any other', async (name) => {
    await put(join(name, 'hook'));

    expect((await discover(join(root, name))).hooks).toEqual(['hook']);
  });

  it('accepts a folder without hooks, and says so', async () => {
    await put('lib/common.sh', { mode: 0o644 });

    expect(await discover()).toEqual({
      hooks: [],
      warnings: [': no hooks here, expected executable files, or modules that export a definition'],
    });
  });

  describe('with links', () => {
    it('finds hooks mounted from a ConfigMap', async () => {
      await put('..2026_01_01/hook.sh');
      await put('..2026_01_01/warm.ts', { mode: 0o644, text: WARM });
      await symlink('..2026_01_01', join(root, '..data'));
      await symlink('..data/hook.sh', join(root, 'hook.sh'));
      await symlink('..data/warm.ts', join(root, 'warm.ts'));

      expect(await discover()).toEqual({ hooks: ['hook.sh', 'warm.ts (warm)'], warnings: [] });
    });

    it('takes a link to what is not executable, or to nothing, as a hook, so that its failure is seen', async () => {
      await put('.data/hook', { mode: 0o644 });
      await symlink('.data/hook', join(root, 'plain'));
      await symlink('nowhere', join(root, 'broken'));

      expect(await discover()).toEqual({ hooks: ['broken', 'plain'], warnings: [] });
    });

    it('does not follow a link to a directory, and says so', async () => {
      await put('.data/hook');
      await symlink('.data', join(root, 'linked'));

      expect(await discover()).toEqual({
        hooks: [],
        warnings: ['linked: not a hook: the link does not lead to a file'],
      });
    });

    it('follows a link that is the folder itself', async () => {
      await put('real/hook');
      await symlink('real', join(root, 'linked'));

      expect((await discover(join(root, 'linked'))).hooks).toEqual(['hook']);
    });
  });

  describe('with modules', () => {
    it.each(['ts', 'mts', 'js', 'mjs'])(
      'takes a .%s file that exports a definition as a warm hook',
      async (extension) => {
        await put(`hook.${extension}`, { mode: 0o644, text: WARM });

        expect(await discover()).toEqual({ hooks: [`hook.${extension} (warm)`], warnings: [] });
      },
    );

    it('takes one that exports a reconcile hook, and not every one that has the word', async () => {
      const text =
        "import { type ReconcileHook, reconcile } from 'hooklet';\nexport default reconcile({}, () => ({}));\n";
      await put('hook.ts', { mode: 0o644, text });
      await put('other.ts', { mode: 0o644, text: 'export default function reconcile() {}\n' });

      expect((await discover()).hooks).toEqual(['hook.ts (warm)']);
    });

    it('runs an executable one with a shebang as any other program', async () => {
      await put('hook.ts', { text: `#!/usr/bin/env node\n${WARM}` });

      expect((await discover()).hooks).toEqual(['hook.ts']);
    });

    it('keeps an executable one without a shebang warm, since it could not be started', async () => {
      await put('hook.ts', { text: WARM });

      expect((await discover()).hooks).toEqual(['hook.ts (warm)']);
    });

    it('says what keeps a module that calls defineHook from being one', async () => {
      await put('hook.ts', { mode: 0o644, text: WARM.replace('export default', 'export const hook =') });

      expect(await discover()).toEqual({
        hooks: [],
        warnings: [
          'hook.ts: a hook needs a default export, expected "export default defineHook({…})" or "export default reconcile({…}, …)"',
        ],
      });
    });

    it.each([
      ['a module without a definition', 'helper.ts', 'export default 5;\n'],
      ['another file with the same text', 'hook.py', WARM],
    ])('warns of %s', async (_law, name, text) => {
      await put(name, { mode: 0o644, text });

      expect((await discover()).warnings).toMatchObject([expect.stringContaining('no executable permissions')]);
    });
  });

  describe('with what is no hook at all', () => {
    it('leaves out a name that is not UTF-8, and says so', async () => {
      await put('hook');
      const name = Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff, 0xfe]), Buffer.from('.sh')]);
      await writeFile(name, '#!/bin/sh\n', { mode: 0o755 });

      expect(await discover()).toEqual({
        hooks: ['hook'],
        warnings: ['bad-\uFFFD\uFFFD.sh: ignored: its name is not UTF-8; rename it'],
      });
    });

    it('leaves out pipes and sockets without opening them, and says so', async () => {
      await put('hook');
      execFileSync('mkfifo', [join(root, 'pipe.ts'), join(root, '.hidden-pipe')]);
      await symlink('.hidden-pipe', join(root, 'linked.ts'));
      const server = createServer().listen(join(root, 'socket'));
      await once(server, 'listening');

      const found = await discover();

      server.close();
      expect(found).toEqual({
        hooks: ['hook'],
        warnings: [
          expect.stringMatching(/^(?:pipe\.ts|socket): not a hook: it is neither a file nor a directory$/),
          expect.stringMatching(/^(?:pipe\.ts|socket): not a hook: it is neither a file nor a directory$/),
          'linked.ts: not a hook: the link does not lead to a file',
        ],
      });
    });

    it('is not led in circles by links', async () => {
      await put('sub/hook');
      await symlink('..', join(root, 'sub', 'up'));
      await symlink('itself', join(root, 'itself'));

      expect(await discover()).toEqual({
        hooks: ['itself', 'sub/hook'],
        warnings: ['sub/up: not a hook: the link does not lead to a file'],
      });
    });

    it('does not read a module of more than 16 MiB', async () => {
      await put('huge.ts', { mode: 0o644, text: WARM });
      await truncate(join(root, 'huge.ts'), 16 * 1024 * 1024);
      expect((await discover()).hooks).toEqual(['huge.ts (warm)']);

      await truncate(join(root, 'huge.ts'), 64 * 1024 * 1024 * 1024);
      expect(await discover()).toEqual({
        hooks: [],
        warnings: ['huge.ts: not read: a module of more than 16 MiB'],
      });
    });

    it('bears with files and folders that vanish while it looks', async () => {
      await put('hook');
      const churn = async (): Promise<void> => {
        for (let round = 0; round < 100; round += 1) {
          await put(`folder/${round}.ts`);
          await put(`${round}.ts`);
          await rm(join(root, 'folder'), { recursive: true });
          await rm(join(root, `${round}.ts`));
        }
      };
      const done = churn().then(() => true);

      const missing: string[] = [];
      while (!(await Promise.race([done, sleepTurn()]))) {
        const { hooks } = await discover();
        if (!hooks.includes('hook')) missing.push(hooks.join());
      }

      expect(missing).toEqual([]);
    });
  });

  it('refuses a folder that does not exist', async () => {
    await expect(discoverHooks(join(root, 'absent'))).rejects.toThrow(
      new UsageError(
        `hooks directory ${join(root, 'absent')} does not exist; give a readable directory, or make a project with hooklet init`,
      ),
    );
  });

  it('refuses a file', async () => {
    await put('hook');

    await expect(discoverHooks(join(root, 'hook'))).rejects.toThrow('is not a directory');
  });
});
