import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeProgram } from '../../src/operator/runs/program-link.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

it('a program named hooklet runs this one with its arguments, whatever the paths look like', () => {
  using tmp = temporaryFolder();
  const odd = join(tmp.path, "it's an $(odd) folder");
  mkdirSync(odd);
  const program = join(odd, 'main.js');
  writeFileSync(program, 'console.log(JSON.stringify(process.argv.slice(2)))');

  const binDir = writeProgram(odd, { node: process.execPath, program });
  const printed = execFileSync(join(binDir, 'hooklet'), ['jq', '-c', '. as $x | "a b"'], { encoding: 'utf8' });

  expect(JSON.parse(printed)).toEqual(['jq', '-c', '. as $x | "a b"']);
});
