import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

/** For each story; `hooklet test` plays all that there are. The programs of 330 are shell, and take ten times as long. */
const MOST_PLANS = { '300-etcd': 15, '310-backup': 15, '330-static-website': 8, '340-prometheus': 15 };

const FILES = Object.entries(MOST_PLANS).flatMap(([name, plans]) =>
  readdirSync(join(examplesDir, name, 'scenarios'))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ file: `examples/${name}/scenarios/${file}`, plans })),
);

it.each(FILES)('the stories of $file end the same under $plans plans of a story at most', async ({ file, plans }) => {
  const args = ['test', file, '--plans', String(plans)];
  const { exitCode, stdout, stderr } = await runProgram(args, { cwd: dirname(examplesDir) });

  expect(exitCode, stdout + stderr).toBe(0);
  const played = stdout.match(/^ {2}perturbed: .* no difference$/gm) ?? [];
  expect(played).not.toEqual([]);
  console.log(`${file}\n${played.join('\n')}`);
});
