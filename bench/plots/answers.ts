import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measure } from '../row.ts';
import { EVENTS_PER_SECOND, KINDS, MOST_MEMORY_MB, OBJECTS, SHARING, type Slopes } from './scale.ts';

const RESULTS = join(import.meta.dirname, '..', 'results.json');

/** What an answer to growth costs, as the rows of the bench measured it. */
export interface AnswerCosts {
  /** CPU microseconds of an event of another replica. */
  readonly foreignUs: number;
  /** Runs of a shell hook a second, in the operator. */
  readonly ownRuns: number;
  /** CPU milliseconds that a run by a worker costs the operator. */
  readonly remoteMs: number;
}

/** The costs in the kept results; undefined while a row has not been measured. */
export function keptCosts(): AnswerCosts | undefined {
  return costsOf(JSON.parse(readFileSync(RESULTS, 'utf8')));
}

export function costsOf(results: Readonly<Record<string, readonly Measure[]>>): AnswerCosts | undefined {
  const figure = (row: string, name: string): number =>
    results[row]?.find((measure) => measure.name === name)?.hooklet ?? Number.NaN;
  const [whole, quarter] = [1, 4].map((count) =>
    figure('shards', `${count} with --shards: the same, where events wait`),
  );
  const costs = {
    // One event in four is of the replica itself.
    foreignUs: ((quarter ?? Number.NaN) - (whole ?? Number.NaN) / 4) / (3 / 4),
    ownRuns: figure('queues-shell', 'runs'),
    remoteMs: figure('workers', 'CPU of the operator for a run, limit one of its own'),
  };
  return Object.values(costs).some(Number.isNaN) ? undefined : costs;
}

const REPLICAS = [1, 4, 8, 16];

/** Which part of the budget of one process each bound takes with more replicas, and with workers, in Markdown. */
export function answersText(slopes: Slopes, costs: AnswerCosts): string {
  const rows = [
    ['events', ...REPLICAS.map((count) => eventCores(slopes, costs, count))],
    ['memory, full objects', ...REPLICAS.map((count) => memoryPart(slopes, slopes.fullMb.each, count))],
    ['memory, filter results', ...REPLICAS.map((count) => memoryPart(slopes, slopes.filteredMb.each, count))],
    ['a run of a shell hook for each event', ...REPLICAS.map((count) => EVENTS_PER_SECOND / costs.ownRuns / count)],
    ['the same by workers, the operator alone', (EVENTS_PER_SECOND * costs.remoteMs) / 1000],
  ].map(([what, ...parts]) => `| ${[what, ...cellsOf(parts)].join(' | ')} |`);
  const heads = [
    'Part of the budget',
    ...REPLICAS.map((count) => (count === 1 ? '1 replica' : `${count} with --shards`)),
  ];
  return [`| ${heads.join(' | ')} |`, `|---|${REPLICAS.map(() => '--:').join('|')}|`, ...rows].join('\n');
}

function cellsOf(parts: readonly unknown[]): readonly string[] {
  return REPLICAS.map((_, index) => (typeof parts[index] === 'number' ? parts[index].toFixed(2) : ''));
}

/** Cores of each replica: its own events are followed whole, and those of others are dropped as they arrive. */
function eventCores({ eventUs }: Slopes, { foreignUs }: AnswerCosts, count: number): number {
  const ownUs = eventUs.base + SHARING * eventUs.each;
  return (EVENTS_PER_SECOND * (ownUs / count + foreignUs * (1 - 1 / count))) / 1e6;
}

function memoryPart({ filteredMb, watchMb }: Slopes, eachMb: number, count: number): number {
  return (filteredMb.base + (OBJECTS / count) * eachMb + KINDS * watchMb.each) / MOST_MEMORY_MB;
}
