import { expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';
import { FOLDERS, hasStory, root } from './folders.ts';

it('every example and solution has a story', () => {
  expect(FOLDERS.length).toBeGreaterThan(20);
  expect(FOLDERS.filter((folder) => !hasStory(folder))).toEqual([]);
});

/** Operators, whose names begin with 3, have many long stories; the others are played hundred by hundred. */
const groups = Object.entries(Object.groupBy(FOLDERS, (folder) => folder.replace(/\/([0-2])\d\d-.*/, '/$1xx')));

it.each(groups)('the stories of %s pass undisturbed', async (_group, folders = []) => {
  const { exitCode, stdout, stderr } = await runProgram(['test', ...folders, '--no-perturb'], { cwd: root });

  expect(exitCode, stdout + stderr).toBe(0);
  for (const folder of folders) expect(stdout).toContain(`(${folder}/scenarios/`);
});
