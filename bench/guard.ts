import { ratioOf, type Measure } from './row.ts';
import type { RowEntry } from './rows.ts';
import type { Result } from './table.ts';

/** The ratios of the baseline, by `row/measure`. */
export type Baseline = Readonly<Record<string, number>>;

/** How much worse than the baseline a ratio may be. */
export const TOLERANCE = 1.25;

/** How many agreeing measurements decide: two of three. */
const ENOUGH = 2;

/** The results of one measurement, and the rows that were requested. */
export interface Round {
  readonly rows: readonly Pick<RowEntry, 'name'>[];
  readonly results: readonly Result[];
}

/** The verdict on one ratio of the baseline. */
export interface Verdict {
  readonly key: string;
  readonly row: string;
  /** Whether the median of the measurements is worse than the baseline allows. */
  readonly isWorse: boolean;
  /** Whether further measurements cannot change the verdict of the median of three. */
  readonly isSettled: boolean;
  readonly said: string;
}

/** Compares each baseline ratio of the measured rows with the median of its measurements. */
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

/** A new baseline: the old one, updated with the measured ratios; percentiles of rare events are not included. */
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

/** How many times worse than the baseline, also for measures where more is better; infinite if it was not measured. */
function worsening(measure: Measure | undefined, held: number): number {
  const ratio = measure && ratioOf(measure);
  if (measure === undefined || ratio === undefined) return Infinity;
  const { goal } = measure;
  const moreIsBetter = goal?.least !== undefined && goal.most === undefined;
  return moreIsBetter ? held / ratio : ratio / held;
}

/** The median. */
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
