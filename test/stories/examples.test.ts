import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

const root = dirname(examplesDir);

/** Its story waits in the time of the machine; the unit suite plays it undisturbed. */
const UNDISTURBED = 'solutions/etcd-repair';
// The operators, from 300 on, have theirs in `test/operators/stories.test.ts`.
const folders = ['examples', 'solutions']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
  .filter(
    (folder) =>
      !folder.startsWith('examples/3') && folder !== UNDISTURBED && existsSync(join(root, folder, 'scenarios')),
  );

/** For each story, so that all take minutes; `hooklet test` plays all that there are. */
const MOST_PLANS = 15;

it.each(folders)('the stories of %s end the same under the perturbations that they ask for', async (folder) => {
  const args = ['test', folder, '--plans', String(MOST_PLANS)];
  const { exitCode, stdout, stderr } = await runProgram(args, { cwd: root });

  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ {2}perturbed: .* no difference$/m);
});
