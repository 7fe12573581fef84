import { expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';
import { FOLDERS, root } from './folders.ts';

/** Their stories ask for no perturbations, as theirs do not come to rest. */
const RESTLESS = ['examples/120-etcd-member-repair', 'solutions/etcd-repair'];
/** Many long stories, which `test/operators/stories.test.ts` plays. */
const ELSEWHERE = [
  'examples/300-etcd',
  'examples/310-backup',
  'examples/330-static-website',
  'examples/340-prometheus',
];
const folders = FOLDERS.filter((folder) => ![...RESTLESS, ...ELSEWHERE].includes(folder));

/** For each story, so that all take minutes; `hooklet test` plays all that there are. */
const MOST_PLANS = 15;

it.each(folders)('the stories of %s end the same under the perturbations that they ask for', async (folder) => {
  const args = ['test', folder, '--plans', String(MOST_PLANS)];
  const { exitCode, stdout, stderr } = await runProgram(args, { cwd: root });

  expect(exitCode, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ {2}perturbed: .* no difference$/m);
});
