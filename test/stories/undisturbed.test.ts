import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

interface Report {
  readonly stories: readonly { readonly name: string; readonly file: string; readonly verdict: string }[];
}

/** Operators, whose names begin with 3, have many long stories; the others are played hundred by hundred. */
const groups = Object.entries(
  Object.groupBy(
    globSync('*/', { cwd: examplesDir }).map((path) => basename(path)),
    (name) => (name.startsWith('3') ? name : `${name[0]}xx`),
  ),
);

it('there are examples of 4 hundreds', () => {
  expect(new Set(groups.map(([name]) => name[0]))).toEqual(new Set(['0', '1', '2', '3']));
});

it.each(groups)('every example of %s has a story, and the stories pass', async (_group, examples = []) => {
  const paths = examples.map((name) => `examples/${name}`);
  const { exitCode, stdout } = await runProgram(['test', ...paths, '--no-perturb', '-o', 'json'], {
    cwd: dirname(examplesDir),
  });

  const { stories }: Report = JSON.parse(stdout);
  expect(stories.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(exitCode).toBe(0);
  expect(new Set(stories.map(({ file }) => file.split('/')[1]))).toEqual(new Set(examples));
});
