import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

interface Report {
  readonly stories: readonly { readonly name: string; readonly file: string; readonly verdict: string }[];
}

it('every example has a story, and the stories of the examples pass', async () => {
  const cwd = dirname(examplesDir);
  const { exitCode, stdout } = await runProgram(['test', 'examples', '--no-perturb', '-o', 'json'], { cwd });

  const { stories }: Report = JSON.parse(stdout);
  expect(stories.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(exitCode).toBe(0);
  const examples = globSync('*/', { cwd: examplesDir });
  expect(examples.length).toBeGreaterThan(0);
  expect(new Set(stories.map(({ file }) => file.split('/')[1]))).toEqual(new Set(examples));
});
