import { expect, it } from 'vitest';
import { logStyle } from '../../src/cli/options/log-style.ts';

const terminal = (env: Readonly<Record<string, string>> = {}) => ({ isTerminal: true, env });
const pipe = { isTerminal: false, env: {} };

it.each([
  ['auto', terminal(), 'text', true],
  ['auto', terminal({ NO_COLOR: '1' }), 'text', false],
  ['auto', terminal({ NO_COLOR: '' }), 'text', true],
  ['auto', terminal({ TERM: 'dumb' }), 'text', false],
  ['auto', pipe, 'json', false],
  ['text', terminal(), 'text', false],
  ['text', pipe, 'text', false],
  ['json', terminal(), 'json', false],
  ['color', pipe, 'text', true],
  ['color', terminal({ NO_COLOR: '1' }), 'text', true],
] as const)('--log-format %s with %j is %s, with colors: %s', (logFormat, where, format, colors) => {
  expect(logStyle(logFormat, 'json', where)).toEqual({ format, colors });
});
