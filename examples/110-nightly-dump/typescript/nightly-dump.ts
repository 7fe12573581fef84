// Dumps a PostgreSQL database every night, and keeps the last few dumps that can be read.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineHook, schedule } from 'hooklet';

const { DUMP_CRONTAB = '0 3 * * *', DUMP_DIR = '/dumps', DUMP_KEEP = '7' } = process.env;
if (!/^[1-9]\d{0,3}$/.test(DUMP_KEEP)) throw new Error(`DUMP_KEEP is "${DUMP_KEEP}", expected a number from 1 to 9999`);
process.umask(0o077);
/** Files of other names are not those of this hook: they are neither counted nor removed. */
const OWN = { dump: /^\d{8}T\d{6}Z\.dump$/, partial: /^\.partial-\d{8}T\d{6}Z$/ };

export default defineHook({
  bindings: {
    // Of the nights in which nothing ran, the last is made up for.
    dump: schedule(DUMP_CRONTAB, { timeZone: 'Etc/UTC', missed: 'latest' }),
  },
  settings: { timeout: '6h' },
  async run({ contexts, metric, log, signal }) {
    // The night names the dump, so another attempt, or an operator that comes after a crash, makes the same one.
    const last = contexts.at(-1);
    const night = (last?.type === 'Schedule' ? last.scheduledAt : '').replaceAll(/[-:]|\.\d+/g, '');
    const [dump, partial] = [join(DUMP_DIR, `${night}.dump`), join(DUMP_DIR, `.partial-${night}`)];
    if (!existsSync(dump)) await make(dump, partial, signal);
    // Only now do older ones go, and never the one of this night, whatever the clock said before.
    const dumps = (await readdir(DUMP_DIR))
      .filter((name) => OWN.dump.test(name))
      .toSorted()
      .toReversed();
    const old = dumps.slice(Number(DUMP_KEEP)).filter((name) => name !== `${night}.dump`);
    for (const name of old) await rm(join(DUMP_DIR, name));
    const { size } = await stat(dump);
    metric.set('nightly_dump_last_success_timestamp_seconds', Math.floor(Date.now() / 1000));
    metric.set('nightly_dump_last_size_bytes', size);
    log.info(`${night}.dump has ${size} bytes, ${dumps.length - old.length} kept`);
  },
});

/** A file of the name `dump` is a whole dump: it can be read, and is on the disk before it has the name. */
async function make(dump: string, partial: string, signal: AbortSignal): Promise<void> {
  const run = async (program: string, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { signal, maxBuffer: 64 * 1024 * 1024 })).stdout;
  // What killed runs left.
  for (const name of await readdir(DUMP_DIR)) if (OWN.partial.test(name)) await rm(join(DUMP_DIR, name));
  await run('pg_dump', '--format=custom', '--no-password', '--lock-wait-timeout=60s', `--file=${partial}`);
  if ((await run('pg_restore', '--list', partial)) === '')
    throw new Error('there is nothing in the dump of this night');
  await run('pg_restore', '--file=/dev/null', partial);
  await sync(partial);
  await rename(partial, dump);
  await sync(DUMP_DIR);
}

async function sync(path: string): Promise<void> {
  await using file = await open(path);
  await file.sync();
}
