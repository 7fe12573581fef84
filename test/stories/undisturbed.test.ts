import { expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';
import { FOLDERS, hasStory, root, UNDISTURBED } from './folders.ts';

it('every example and solution has a story', () => {
  expect(FOLDERS.length).toBeGreaterThan(20);
  expect(FOLDERS.filter((folder) => !hasStory(folder))).toEqual([]);
});

it.each(UNDISTURBED)('the stories of %s pass undisturbed', async (folder) => {
  const { exitCode, stdout, stderr } = await runProgram(['test', folder, '--no-perturb'], { cwd: root });

  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/[1-9]\d* passed/);
});
