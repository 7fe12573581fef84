import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord } from '../../src/lib/shell-word.ts';

it.each(['plain/path.yaml:3', '', "it's $(odd) `x` \\", 'two\nlines', '*'])('a shell reads %j as one word', (text) => {
  expect(execFileSync('sh', ['-c', `printf '[%s]' ${shellWord(text)}`], { encoding: 'utf8' })).toBe(`[${text}]`);
});
