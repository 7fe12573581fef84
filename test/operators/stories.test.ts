import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

/** For each story; `hooklet test` plays all that there are. */
const MOST_PLANS = 15;

const FILES = ['300-etcd', '310-backup', '330-static-website', '340-prometheus'].flatMap((name) =>
  readdirSync(join(examplesDir, name, 'scenarios'))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => `examples/${name}/scenarios/${file}`),
);

it.each(FILES)('the stories of %s end the same under the perturbations that they ask for', async (file) => {
  const args = ['test', file, '--plans', String(MOST_PLANS)];
  const { exitCode, stdout, stderr } = await runProgram(args, { cwd: dirname(examplesDir) });

  expect(exitCode, stdout + stderr).toBe(0);
  const played = stdout.match(/^ {2}perturbed: .* no difference$/gm) ?? [];
  expect(played).not.toEqual([]);
  console.log(`${file}\n${played.join('\n')}`);
});
