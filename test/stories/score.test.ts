import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readScenarioFile } from '../../src/scenario/file/read-scenario.ts';
import { openWorlds } from '../../src/scenario/open-worlds.ts';
import { perturb } from '../../src/scenario/perturb/perturb.ts';
import type { PerturbReport } from '../../src/scenario/perturb/report.ts';
import { PERTURB_KINDS } from '../../src/scenario/file/story.ts';
import { builtFolder } from '../support/built-program.ts';

// Bugs that were published, seeded into small hooks: with VARIANT=bug a hook has the bug, with VARIANT=right it does not.
const folder = fileURLToPath(new URL('patterns', import.meta.url));
const patterns = readdirSync(folder).filter((name) => /^\d\d-/.test(name));
// With it each pattern goes through all perturbations, not only through those in its file: some minutes.
const isAll = process.env['HOOKLET_ALL_PERTURBATIONS'] !== undefined;
const LIMIT_MS = isAll ? 1_200_000 : 240_000;

const worlds = openWorlds({ entry: join(builtFolder(), 'world-process.js') });
afterAll(async () => worlds[Symbol.asyncDispose]());

async function report(pattern: string, variant: 'bug' | 'right'): Promise<PerturbReport> {
  const read = await readScenarioFile(`${folder}/${pattern}/scenario.yaml`, { optionNames: [], hooksDir: folder });
  expect(read.problems).toEqual([]);
  const [scenario] = read.scenarios;
  if (scenario === undefined) throw new Error(`${pattern} has no story`);
  const given = { ...scenario.given, env: { ...scenario.given.env, VARIANT: variant } };
  const kinds = isAll ? PERTURB_KINDS : scenario.perturb.kinds;
  const settings = { kinds, isFirstEnough: true };
  return perturb({ ...scenario, given }, worlds, settings, AbortSignal.timeout(LIMIT_MS));
}

async function foundIn(variant: 'bug' | 'right'): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  await Promise.all(
    patterns.map(async (pattern) => {
      const { findings } = await report(pattern, variant);
      found.set(
        pattern,
        findings.map(({ plan, differences }) => `${plan}: ${differences[0]}`),
      );
    }),
  );
  return found;
}

test(
  '23 of 23 published bug patterns are caught, without anything that the author expects',
  async () => {
    const found = await foundIn('bug');
    expect(found.size).toBe(23);
    expect([...found].flatMap(([pattern, findings]) => (findings.length === 0 ? pattern : []))).toEqual([]);
  },
  LIMIT_MS,
);

test(
  '0 of the 23 hooks that do the same without the bug are suspected',
  async () => {
    const found = await foundIn('right');
    expect(found.size).toBe(23);
    expect([...found].filter(([, findings]) => findings.length > 0)).toEqual([]);
  },
  LIMIT_MS,
);
