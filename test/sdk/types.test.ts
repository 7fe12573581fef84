import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let folder = '';

// Inside the project, so that packages are found, under a name that the project's own type check excludes.
beforeEach(() => {
  folder = mkdtempSync(join(root, 'node_modules', '.hooklet-types-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The lines of a hook for which the compiler reports an error. */
async function compile(fixture: string): Promise<readonly number[]> {
  copyFileSync(join(import.meta.dirname, 'types', `${fixture}.txt`), join(folder, fixture));
  const compilerOptions = { types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [fixture], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await execa({ cwd: folder, preferLocal: true, localDir: root, reject: false })`tsc --pretty false`;
  const lines = [...stdout.matchAll(/^[^\s(]*\((\d+),\d+\): error TS\d+/gm)].map((match) => Number(match[1]));
  return [...new Set(lines)].toSorted((a, b) => a - b);
}

describe('the types of a hook', () => {
  it.each(['wrong-hook', 'inferred-hook'])('find every mistake in %s, on its line', async (name) => {
    const source = readFileSync(join(import.meta.dirname, 'types', `${name}.ts.txt`), 'utf8');
    const wrong = source.split('\n').flatMap((line, index) => (line.includes('// wrong: ') ? [index + 1] : []));

    expect(await compile(`${name}.ts`)).toEqual(wrong);
  });

  it('find none in a hook that is right, also with the types of client-node', async () => {
    expect(await compile('right-hook.ts')).toEqual([]);
  });
});
