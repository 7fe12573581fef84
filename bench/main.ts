import { eventLatency } from './event-latency.ts';
import { footprint } from './footprint.ts';
import { openBench } from './stage.ts';
import { startup } from './startup.ts';

const ROWS = { event: eventLatency, startup, footprint };

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in ROWS));
if (unknown.length > 0) {
  process.stderr.write(`no row ${unknown.join(', ')}; there are ${Object.keys(ROWS).join(', ')}\n`);
  process.exit(2);
}
await using stage = await openBench();
for (const [name, row] of Object.entries(ROWS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const line of await row(stage)) process.stdout.write(`${name.padEnd(10)} ${line}\n`);
}
