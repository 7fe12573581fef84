import { writeFile } from 'node:fs/promises';
import { GOLDEN_CASES } from '../test/filter/jq/golden-cases.ts';
import { runRealJq } from '../test/filter/jq/real-jq.ts';

// Writes test/filter/jq/golden.json anew: what the jq on PATH makes of every case.
const records: unknown[] = [];
for (const { program, input } of GOLDEN_CASES) {
  records.push({ program, input, ...(await runRealJq(program, input)) });
}
const lines = records.map((record) => JSON.stringify(record)).join(',\n');
await writeFile(new URL('../test/filter/jq/golden.json', import.meta.url), `[\n${lines}\n]\n`);
process.stdout.write(`${records.length} cases recorded\n`);
