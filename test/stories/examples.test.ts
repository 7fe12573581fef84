import { expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';
import { FOLDERS, root, UNDISTURBED } from './folders.ts';

/** For each story, so that all take minutes; `hooklet test` plays all that there are. */
const MOST_PLANS = 15;

const folders = FOLDERS.filter((folder) => !UNDISTURBED.includes(folder));

it.each(folders)('the stories of %s end the same under the perturbations that they ask for', async (folder) => {
  const args = ['test', folder, '--plans', String(MOST_PLANS)];
  const { exitCode, stdout, stderr } = await runProgram(args, { cwd: root });

  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ {2}perturbed: .* no difference$/m);
});
