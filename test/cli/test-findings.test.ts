import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';
import { runProgram } from '../support/program.ts';

const patterns = fileURLToPath(new URL('../stories/patterns', import.meta.url));
const PATTERN = '01-resize-recorded-first';

it('--write-findings writes a scenario file that fails alone until the hook is mended', async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const scenarios = join(cwd, 'scenarios');
  mkdirSync(scenarios);
  cpSync(join(patterns, 'crd.yaml'), join(cwd, 'crd.yaml'));
  cpSync(join(patterns, PATTERN, 'hooks'), join(cwd, 'hooks'), { recursive: true });
  const story = readFileSync(join(patterns, PATTERN, 'scenario.yaml'), 'utf8').replace(
    'VARIANT: right',
    'VARIANT: bug',
  );
  writeFileSync(join(scenarios, 'resize.yaml'), story);

  const found = await runProgram(['test', '--plan', 'crash:2', '--write-findings'], { cwd });
  expect([found.exitCode, found.stdout.match(/^# scen.*$/m)?.[0]]).toEqual([
    1,
    '# scenarios/regress-resize-crash-2.yaml: written',
  ]);
  expect(found.stdout).toContain("again: hooklet test scenarios/resize.yaml --filter '^resize$' --plan crash:2 ");

  const file = join(scenarios, 'regress-resize-crash-2.yaml');
  const alone = await runProgram(['test', file, '--write-findings'], { cwd });
  expect([alone.exitCode, alone.stdout.match(/perturbed: .*/)?.[0]]).toEqual([
    1,
    'perturbed: 1 plan: differences in crash 1 of 1',
  ]);
  expect(readdirSync(scenarios)).toEqual(['regress-resize-crash-2.yaml', 'resize.yaml']);

  // The hook is mended.
  writeFileSync(file, readFileSync(file, 'utf8').replace('VARIANT: bug', 'VARIANT: right'));
  const mended = await runProgram(['test', file, '--all'], { cwd });
  expect([mended.exitCode, mended.stdout.match(/perturbed: .*/)?.[0]]).toEqual([0, 'perturbed: 1 plan: no difference']);

  // Where nothing is struck, nothing was tried; and what is no plan is not played.
  const beside = await runProgram(['test', 'scenarios/resize.yaml', '--plan', 'crash:99'], { cwd });
  expect([beside.exitCode, beside.stdout]).toEqual([1, expect.stringContaining('the plan crash:99 strikes nothing')]);
  const none = await runProgram(['test', '--plan', 'crush:1'], { cwd });
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('--plan: there is no plan "crush:1"')]);
});
