import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from './audit.ts';
import { creationsOf } from './jobs-audit.ts';

/**
 * In the work of a hook: it works on an object until it is told to end, and notes every 100 ms that it is alive, so that
 * the end of one that was killed is known too.
 */
export const ALIVE_UNTIL_TOLD = `
  mine="$name.$RUN_ID.$(cat /etc/hostname).$$"
  date +%s%N > "/shared/begin.$mine"
  until [ -e "/shared/told-$name" ]; do date +%s%N > "/shared/new.$mine"; mv "/shared/new.$mine" "/shared/alive.$mine"; sleep 0.1; done
  date +%s%N > "/shared/end.$mine"`;

/** One process at work on one object; times of the clock of the machine, in nanoseconds. */
export interface Work {
  readonly object: string;
  readonly run: string;
  readonly host: string;
  readonly begin: bigint;
  /** When it was last known to be alive. */
  readonly alive: bigint;
  readonly hasEnded: boolean;
}

/** What hooks have noted. */
export function worksIn(folder: string): readonly Work[] {
  const files = new Set(readdirSync(folder));
  const timeOf = (file: string): bigint => BigInt(readFileSync(join(folder, file), 'utf8').trim() || '0');
  return [...files]
    .filter((file) => file.startsWith('begin.'))
    .map((file) => {
      const mine = file.slice('begin.'.length);
      const [object = '', run = '', host = ''] = mine.split('.');
      const times = ['begin', 'alive', 'end'].map((what) => `${what}.${mine}`).filter((one) => files.has(one));
      const alive = times.map(timeOf).reduce((last, time) => (time > last ? time : last));
      return { object, run, host, begin: timeOf(file), alive, hasEnded: files.has(`end.${mine}`) };
    });
}

/**
 * What is wrong with objects that were noted: two at work on one at a time, or work that was applied more than once, or
 * before it had ended.
 */
export function wrongWorks(works: readonly Work[], requests: readonly AuditEntry[]): readonly string[] {
  const creations = creationsOf(requests);
  const ended = new Set(works.filter(({ hasEnded }) => hasEnded).map(({ object, run }) => `did-${object}-${run}`));
  const sorted = works.toSorted((a, b) => Number(a.begin - b.begin));
  const overlaps = sorted.flatMap((one, index) =>
    sorted
      .slice(index + 1)
      .filter(({ object, begin }) => object === one.object && begin < one.alive)
      .map((other) => `${one.object}: ${other.run} on ${other.host} began before ${one.run} on ${one.host} had ended`),
  );
  return [
    ...overlaps,
    ...[...creations].filter(([, count]) => count > 1).map(([name, count]) => `${name} was applied ${count} times`),
    ...[...creations.keys()]
      .filter((name) => works.some(({ object }) => name.startsWith(`did-${object}-`)) && !ended.has(name))
      .map((name) => `${name} was applied without work`),
  ];
}
