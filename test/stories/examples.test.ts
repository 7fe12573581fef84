import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

const root = dirname(examplesDir);

/** Their stories ask for no perturbations, as theirs do not come to rest; the unit suite plays them undisturbed. */
const UNDISTURBED = ['examples/120-etcd-member-repair', 'examples/300-etcd', 'solutions/etcd-repair'];
/** They take minutes: `test/operators/stories.test.ts` plays them. */
const LONG = ['examples/310-backup', 'examples/330-static-website', 'examples/340-prometheus'];
const folders = ['examples', 'solutions']
  .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
  .filter((folder) => ![...UNDISTURBED, ...LONG].includes(folder) && existsSync(join(root, folder, 'scenarios')));

/** For each story, so that all take minutes; `hooklet test` plays all that there are. */
const MOST_PLANS = 15;

it.each(folders)('the stories of %s end the same under the perturbations that they ask for', async (folder) => {
  const args = ['test', folder, '--plans', String(MOST_PLANS)];
  const { exitCode, stdout, stderr } = await runProgram(args, { cwd: root });

  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ {2}perturbed: .* no difference$/m);
});
