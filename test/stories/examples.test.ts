import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

/** Its story waits in the time of the machine; the unit suite plays it undisturbed. */
const UNDISTURBED = '120-etcd-member-repair';
const folders = readdirSync(examplesDir).filter(
  (name) => name !== UNDISTURBED && existsSync(join(examplesDir, name, 'scenarios')),
);

/** For each story, so that all take minutes; `hooklet test` plays all that there are. */
const MOST_PLANS = 15;

it.each(folders)('the stories of %s end the same under the perturbations that they ask for', async (folder) => {
  const args = ['test', join('examples', folder), '--plans', String(MOST_PLANS)];
  const { exitCode, stdout, stderr } = await runProgram(args, { cwd: dirname(examplesDir) });

  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ {2}perturbed: .* no difference$/m);
});
