import { expect, it } from 'vitest';
import { calledAsShellOperator } from '../../src/cli/program/program-name.ts';

it.each([
  ['/shell-operator', {}, true],
  ['shell-operator', {}, true],
  ['/usr/local/bin/hooklet', {}, false],
  ['/usr/local/lib/shell-operator/dist/main.js', {}, false],
  ['/usr/local/bin/hooklet', { HOOKLET_COMPAT: 'shell-operator' }, true],
  ['/shell-operator', { HOOKLET_COMPAT: '' }, true],
  ['/shell-operator', { HOOKLET_COMPAT: 'none' }, false],
] as const)('%s with %j is called as shell-operator: %s', (argv0, env, called) => {
  expect(calledAsShellOperator(argv0, env)).toBe(called);
});
