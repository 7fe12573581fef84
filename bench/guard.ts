import { ratioOf, type Measure } from './row.ts';
import type { RowEntry } from './rows.ts';
import type { Result } from './table.ts';

/** The ratios to the limit that are held, by `row/measure`. */
export type Baseline = Readonly<Record<string, number>>;

/** How much worse than the baseline a ratio may be. */
export const TOLERANCE = 1.25;

/** Measurements on which no more depends: two of three that agree. */
const ENOUGH = 2;

/** What was measured in one go, and which rows were to be. */
export interface Round {
  readonly rows: readonly Pick<RowEntry, 'name'>[];
  readonly results: readonly Result[];
}

/** What is to be thought of one ratio that is held. */
export interface Verdict {
  readonly key: string;
  readonly row: string;
  /** Whether the median of the measurements is worse than the baseline allows. */
  readonly isWorse: boolean;
  /** Whether the median of three would say the same, whatever the measurements to come say. */
  readonly isSettled: boolean;
  readonly said: string;
}

/** Judges each held ratio of the rows that were measured by the median of its measurements. */
export function judge(rounds: readonly Round[], baseline: Baseline): readonly Verdict[] {
  return Object.entries(baseline).flatMap(([key, held]) => {
    const asked = rounds.filter(({ rows }) => rows.some(({ name }) => key.startsWith(`${name}/`)));
    const row = asked[0]?.rows.find(({ name }) => key.startsWith(`${name}/`))?.name;
    if (row === undefined) return [];
    const measures = asked.map(({ results }) => results.find((one) => keyOf(one.row, one.measure) === key)?.measure);
    const factors = measures.map((measure) => worsening(measure, held));
    const factor = median(factors);
    const worse = factors.filter((one) => one > TOLERANCE).length;
    const isWorse = factor > TOLERANCE;
    const verdict = isWorse ? 'worse' : 'well';
    return [
      {
        key,
        row,
        isWorse,
        isSettled: Math.max(worse, factors.length - worse) >= ENOUGH,
        said: `${verdict}: ${key}: ${measures.map(ratioText).join(', ')} times the limit, where ${held} is held: median ${factorText(factor)}`,
      },
    ];
  });
}

/** A baseline from results: the old one, with the ratios that were measured now; percentiles of rare events are not held. */
export function baselineOf(results: readonly Result[], old: Baseline): Baseline {
  const measured = results.flatMap(({ row, measure }): [string, number][] => {
    const ratio = ratioOf(measure);
    return ratio === undefined || measure.name === 'p99' ? [] : [[keyOf(row, measure), Number(ratio.toPrecision(3))]];
  });
  return Object.fromEntries([...Object.entries(old), ...measured].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function keyOf(row: string, { name }: Measure): string {
  return `${row}/${name}`;
}

/** How many times worse, where more is better, less is worse; what could not be measured is worse than anything. */
function worsening(measure: Measure | undefined, held: number): number {
  const ratio = measure && ratioOf(measure);
  if (measure === undefined || ratio === undefined) return Infinity;
  const { goal } = measure;
  const moreIsBetter = goal?.least !== undefined && goal.most === undefined;
  return moreIsBetter ? held / ratio : ratio / held;
}

/** The value in the middle, or between the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

function ratioText(measure: Measure | undefined): string {
  return (measure && ratioOf(measure))?.toFixed(2) ?? 'not measured';
}

function factorText(factor: number): string {
  return factor === Infinity ? 'not measured' : `${factor.toFixed(2)} times as bad`;
}
