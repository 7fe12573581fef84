import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from './audit.ts';

/** In the work of a hook: notes in the shared volume when it works on an object, around what it does. */
export const noted = (work: string): string => `
  date +%s%N > "/shared/begin.$name.$RUN_ID"
  ${work}
  date +%s%N > "/shared/end.$name.$RUN_ID"`;

/** One run at work on one object; times of the clock of the machine, in nanoseconds. */
export interface Span {
  readonly object: string;
  readonly run: string;
  readonly begin: bigint;
  /** Undefined: it has not ended, or was killed. */
  readonly end: bigint | undefined;
}

/** What hooks have noted. */
export function spansIn(folder: string): readonly Span[] {
  const files = readdirSync(folder);
  const timeOf = (file: string): bigint => BigInt(readFileSync(join(folder, file), 'utf8').trim());
  return files
    .filter((file) => file.startsWith('begin.'))
    .map((file) => {
      const [, object = '', run = ''] = file.split('.');
      const end = `end.${object}.${run}`;
      return { object, run, begin: timeOf(file), end: files.includes(end) ? timeOf(end) : undefined };
    });
}

/** Two runs that were at work on the same object at the same time. */
export function overlapsOf(spans: readonly Span[]): readonly string[] {
  const sorted = spans.toSorted((a, b) => Number(a.begin - b.begin));
  return sorted.flatMap((one, index) =>
    sorted
      .slice(index + 1)
      .filter(({ object, begin }) => object === one.object && (one.end === undefined || begin < one.end))
      .map((other) => `${one.object}: ${other.run} began before ${one.run} had ended`),
  );
}

/** How often the operators had each ConfigMap created; one that was there already counts too. */
export function creationsOf(requests: readonly AuditEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, resource, name } of requests) {
    if (verb !== 'create' || resource !== 'configmaps' || !name.startsWith('did-')) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** What is wrong: work that was noted and not applied, or applied more than once, or twice at a time. */
export function wrongsIn(spans: readonly Span[], requests: readonly AuditEntry[]): readonly string[] {
  const creations = creationsOf(requests);
  const ended = spans.filter(({ end }) => end !== undefined).map(({ object, run }) => `did-${object}-${run}`);
  return [
    ...overlapsOf(spans),
    ...spans.filter(({ end }) => end === undefined).map(({ object, run }) => `${object}: ${run} has not ended`),
    ...ended.filter((name) => !creations.has(name)).map((name) => `${name} was not applied`),
    ...[...creations].filter(([, count]) => count > 1).map(([name, count]) => `${name} was applied ${count} times`),
    ...[...creations.keys()].filter((name) => !ended.includes(name)).map((name) => `${name} was applied without work`),
  ];
}
