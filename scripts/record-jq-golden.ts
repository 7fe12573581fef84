import { writeFile } from 'node:fs/promises';
import { GOLDEN_CASES, runRealJq } from '@hooklet/jq/testing';

// Writes packages/jq/test/golden.json anew: what the jq on PATH makes of every case.
const records: unknown[] = [];
for (const { program, input } of GOLDEN_CASES) {
  records.push({ program, input, ...(await runRealJq(program, input)) });
}
const lines = records.map((record) => JSON.stringify(record)).join(',\n');
await writeFile(new URL('../packages/jq/test/golden.json', import.meta.url), `[\n${lines}\n]\n`);
process.stdout.write(`${records.length} cases recorded\n`);
