import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { baselineOf, judge, type Baseline, type Round } from './guard.ts';
import { measure } from './measure.ts';
import { writePage } from './page.ts';
import { drawPlots, PLOTS } from './plots/plots.ts';
import { ROWS, type RowEntry } from './rows.ts';
import { tableOf, type Result } from './table.ts';

// Child processes end with this process, also when it is interrupted.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(code));
}

const BASELINE = join(import.meta.dirname, 'baseline.json');

const { values: flags, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    guard: { type: 'boolean', default: false },
    baseline: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    plots: { type: 'boolean', default: false },
  },
});
const known: readonly string[] = flags.plots ? PLOTS : ROWS.map(({ name }) => name);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  const what = flags.plots ? 'plot' : 'row';
  process.stderr.write(`no ${what} ${unknown.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}
if (flags.list) {
  for (const { name, title, isFast = false } of ROWS) say(`${name.padEnd(16)} ${title}${isFast ? ' (guard)' : ''}`);
} else if (flags.plots) {
  await drawPlots(asked, say);
} else {
  await run();
}

async function run(): Promise<void> {
  const results: Result[] = [];
  for (const entry of chosen()) {
    const measured = await attempt(entry);
    results.push(...measured);
    // Print each row when it is done, because all rows take long.
    if (!flags.guard && chosen().length > 1) say(`${tableOf(measured)}\n`);
  }
  say(tableOf(results));
  const old: Baseline = JSON.parse(readFileSync(BASELINE, 'utf8'));
  if (flags.baseline) writeFileSync(BASELINE, `${JSON.stringify(baselineOf(results, old), null, 2)}\n`);
  if (flags.markdown) writePage(results);
  if (flags.guard) await guard(results, old);
}

/** Measures a row; a failure is printed, and does not stop the other rows. */
async function attempt(entry: RowEntry): Promise<readonly Result[]> {
  try {
    return await measure(entry);
  } catch (error) {
    process.stderr.write(`${entry.name} could not be measured: ${inspect(error)}\n`);
    // The guard tries again.
    if (!flags.guard) process.exitCode = 1;
    return [];
  }
}

function chosen(): readonly RowEntry[] {
  if (asked.length > 0) return ROWS.filter(({ name }) => asked.includes(name));
  return flags.guard ? ROWS.filter(({ isFast = false }) => isFast) : ROWS;
}

/** Measures rows until two measurements of each baseline ratio agree, because a single one may be an outlier. */
async function guard(results: readonly Result[], baseline: Baseline): Promise<void> {
  const rounds: Round[] = [{ rows: chosen(), results }];
  let verdicts = judge(rounds, baseline);
  while (verdicts.some(({ isSettled }) => !isSettled)) {
    const open = new Set(verdicts.filter(({ isSettled }) => !isSettled).map(({ row }) => row));
    const rows = chosen().filter(({ name }) => open.has(name));
    say(`\nonce more: ${[...open].join(', ')}`);
    const repeated: Result[] = [];
    for (const entry of rows) repeated.push(...(await attempt(entry)));
    if (repeated.length > 0) say(tableOf(repeated));
    rounds.push({ rows, results: repeated });
    verdicts = judge(rounds, baseline);
  }
  say('');
  for (const { said } of verdicts) say(said);
  const worse = verdicts.filter(({ isWorse }) => isWorse);
  if (worse.length > 0) process.exitCode = 1;
  else say('\nno ratio is worse than bench/baseline.json allows');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
