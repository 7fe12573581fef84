import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readScenarioFile } from '../../src/scenario/file/read-scenario.ts';
import { openWorlds } from '../../src/scenario/open-worlds.ts';
import { perturb } from '../../src/scenario/perturb/perturb.ts';
import { builtFolder } from '../support/built-program.ts';

// A hook that keeps the step that it is at as its state.
const folder = fileURLToPath(new URL('steps', import.meta.url));
const LIMIT_MS = 600_000;

const worlds = openWorlds({ entry: join(builtFolder(), 'world-process.js') });
afterAll(async () => worlds[Symbol.asyncDispose]());

test(
  'a hook that records a step before it does it makes each of 3 steps once, whatever is disturbed',
  async () => {
    const read = await readScenarioFile(`${folder}/scenario.yaml`, { optionNames: [], hooksDir: folder });
    expect(read.problems).toEqual([]);
    const [scenario] = read.scenarios;
    if (scenario === undefined) throw new Error('the file has no story');

    const { kinds } = scenario.perturb;
    const report = await perturb(scenario, worlds, { kinds, isFirstEnough: true }, AbortSignal.timeout(LIMIT_MS));

    expect(report.findings.map(({ plan, differences }) => `${plan}: ${differences[0]}`)).toEqual([]);
  },
  LIMIT_MS,
);
