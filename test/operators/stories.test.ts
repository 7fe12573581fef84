import { expect, it } from 'vitest';
import { dirname } from 'node:path';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

/** For each story; `hooklet test` plays all that there are. */
const MOST_PLANS = 15;

it.each(['310-backup', '330-static-website', '340-prometheus'])(
  'the stories of %s end the same under the perturbations that they ask for',
  async (name) => {
    const args = ['test', `examples/${name}`, '--plans', String(MOST_PLANS)];
    const { exitCode, stdout, stderr } = await runProgram(args, { cwd: dirname(examplesDir) });

    expect(exitCode, stdout + stderr).toBe(0);
    const played = stdout.match(/^ {2}perturbed: .* no difference$/gm) ?? [];
    expect(played).not.toEqual([]);
    console.log(`${name}\n${played.join('\n')}`);
  },
);
