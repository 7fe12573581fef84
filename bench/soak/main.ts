import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeReport } from './report.ts';
import { soak } from './soak.ts';
import { openStage } from './stage.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string' },
    rate: { type: 'string', default: '30' },
    json: { type: 'string' },
    log: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const minutes = Number(values.minutes);
const writesPerSecond = Number(values.rate);
const logFile = values.log ?? join(tmpdir(), `hooklet-soak-${process.pid}.log`);
const say = (line: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

say(`seed ${seed}, ${minutes} minutes, ${writesPerSecond} writes a second, log of the operator in ${logFile}`);
await using stage = await openStage(logFile);
const report = await soak(stage, { minutes, seed, writesPerSecond, say }, interrupted.signal);
console.log(`\n${describeReport(report)}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
const isLate = report.faults.some(({ late }) => late.length > 0);
process.exitCode = report.missed > 0 || report.outOfOrder > 0 || report.crashes > 0 || isLate ? 1 : 0;
