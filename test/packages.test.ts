import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { buildPackage } from '../scripts/build-packages.ts';
import { PUBLISHED } from '../scripts/published-packages.ts';
import { temporaryFolder } from './support/hook-rig.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const { npm_config_cache: _, ...env } = process.env;
const environment = { ...env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };

describe.each(PUBLISHED)('the package %s', (name) => {
  it(
    'is installed without a network or other packages, and does what its README says',
    { timeout: 120_000 },
    async () => {
      using folder = temporaryFolder();
      const home = await installed(name, folder.path);
      const [example = '', printed = ''] = exampleOf(name);
      writeFileSync(join(home, 'example.js'), example);
      const { stdout } = await run(process.execPath, ['example.js'], { cwd: home, env: environment });

      expect(stdout).toBe(printed);
      expect(readdirSync(join(home, 'node_modules')).filter((entry) => !entry.startsWith('.'))).toEqual(['@hooklet']);
      expect(readdirSync(join(home, 'node_modules', '@hooklet'))).toEqual([name]);
      expect(await problemsOf(home)).toBe('');
    },
  );
});

/** A folder in which the package is installed, as npm packs it. */
async function installed(name: string, folder: string): Promise<string> {
  const built = join(folder, 'built');
  const home = join(folder, 'home');
  mkdirSync(home);
  await buildPackage(name, built);
  await run('npm', ['pack', '--pack-destination', folder], { cwd: built, env: environment });
  const [tarball = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  writeFileSync(join(home, 'package.json'), '{"private":true,"type":"module"}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)];
  await run('npm', install, { cwd: home, env: environment });
  return home;
}

/** The example of the README of a package, and what it says the example prints. */
function exampleOf(name: string): readonly string[] {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  return [/```js\n(.*?)```/s, /```text\n(.*?)```/s].map((block) => block.exec(readme)?.[1] ?? '');
}

/** What the compiler reports about the example as a strict TypeScript program. */
async function problemsOf(home: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    skipLibCheck: false,
  };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['example.js'] }));
  const compiling = run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', home], { env: environment });
  const { stdout } = await compiling.catch((error: { readonly stdout: string }) => error);
  return stdout;
}
