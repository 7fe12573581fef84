import { describe, expect, it } from 'vitest';
import { ROOMS } from '../../oxlint.config.ts';
import { lint } from './lint.ts';

describe('the linter', () => {
  it.each([
    [
      'new Promise',
      'export const wait = async (): Promise<void> => new Promise<void>(() => {});',
      'promise(avoid-new)',
    ],
    [
      'Promise.withResolvers',
      'export const { promise } = Promise.withResolvers<void>();',
      'eslint(no-restricted-properties)',
    ],
    [
      'once of node:events',
      "import { once } from 'node:events';\nexport const wait = once;",
      'eslint(no-restricted-imports)',
    ],
    [
      'node:timers/promises',
      "import { setTimeout } from 'node:timers/promises';\nexport const wait = setTimeout;",
      'eslint(no-restricted-imports)',
    ],
  ])('refuses %s in every room but lib, which has the doors', { timeout: 60_000 }, (_what, code, rule) => {
    const rooms = Object.keys(ROOMS);
    const lines = lint(Object.fromEntries(rooms.map((room) => [`src/${room}/probe.ts`, code])));
    const refused = rooms.filter((room) => lines.some((line) => line.includes(`src/${room}/`) && line.includes(rule)));

    expect(refused).toEqual(rooms.filter((room) => room !== 'lib'));
  });
});
