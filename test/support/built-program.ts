import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['src/**/*', 'scripts/*.ts', 'templates/**/*', 'schemas/*', 'frameworks/**/*', 'package-lock.json'];
const OTHERS = ['deploy/{base,components}/**/*', 'packages/{jq,sandbox}/{src/**/*,package.json}'];

const DAY_MS = 86_400_000;

let known: string | undefined;

/**
 * The folder of a build of these sources. It is built once for all test files and runs, because a process starts many
 * times as fast from it: it reads a few files and removes no types.
 */
export function builtFolder(): string {
  known ??= build(join(root, 'node_modules', '.cache', 'hooklet'));
  return known;
}

/** The program in it: `hooklet`. */
export function builtMain(): string {
  return join(builtFolder(), 'main.js');
}

function build(cache: string): string {
  const folder = join(cache, hashOfSources());
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  for (const old of readdirSync(cache).map((name) => join(cache, name))) {
    if ((statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - DAY_MS)
      rmSync(old, { recursive: true, force: true });
  }
  const made = mkdtempSync(join(cache, 'making-'));
  const script = join(root, 'scripts', 'build.ts');
  execFileSync(process.execPath, [script], { env: { ...process.env, HOOKLET_BUILD_FOLDER: made }, stdio: 'pipe' });
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another test file was faster.
    if (!existsSync(folder)) throw error;
    rmSync(made, { recursive: true, force: true });
  }
  return folder;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const entries = globSync([...SOURCES, ...OTHERS], { cwd: root, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 20);
}
