import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const module = join(import.meta.dirname, '../../src/operator/process/young-generation.ts');
const program = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const { keepYoungGeneration } = await import(process.argv[1]);
  const size = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size;
  if (process.argv[2] === 'kept') keepYoungGeneration();
  const before = size();
  let living = [];
  for (let index = 0; index < 2_000_000; index++) {
    living.push({ index });
    if (living.length > 100_000) living = [];
  }
  // The second half of the space exists only from the first collection on, and what a collection frees counts until it
  // is swept: up to 8 times the first size for a moment, where a space that grows comes to 64 times.
  console.log(size() > 16 * before ? 'grew' : 'as it was');
`;

it.each([
  ['kept', 'as it was'],
  ['left alone', 'grew'],
])('under load the young generation, %s, is %s', async (how, outcome) => {
  const args = ['--input-type=module', '--eval', program, module, how];

  const { stdout } = await promisify(execFile)(process.execPath, args);

  expect(stdout.trim()).toBe(outcome);
});
