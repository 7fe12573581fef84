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
  ])(
    'refuses %s in the packages, and in every room but lib, which has the doors',
    { timeout: 60_000 },
    (_what, code, rule) => {
      const rooms = Object.keys(ROOMS).map((room) => `src/${room}`);
      const folders = [...rooms, 'packages/jq/src', 'packages/sandbox/src'];
      const lines = lint(Object.fromEntries(folders.map((folder) => [`${folder}/probe.ts`, code])));
      const refused = folders.filter((folder) =>
        lines.some((line) => line.includes(`${folder}/`) && line.includes(rule)),
      );

      expect(refused).toEqual(folders.filter((folder) => folder !== 'src/lib'));
    },
  );
});
