import { ratioOf, type Measure } from './row.ts';
import type { Result } from './table.ts';

/** The ratios to the limit that are held, by `row/measure`. */
export type Baseline = Readonly<Record<string, number>>;

/** How much worse than the baseline a ratio may be. */
export const TOLERANCE = 1.25;

/** A ratio that is worse than it may be. */
export interface Regression {
  readonly key: string;
  readonly row: string;
  readonly ratio: number;
  readonly baseline: number;
}

/** What is worse than the baseline allows. What the baseline does not name is not judged. */
export function regressionsOf(results: readonly Result[], baseline: Baseline): readonly Regression[] {
  return results.flatMap(({ row, measure }) => {
    const key = keyOf(row, measure);
    const [ratio, held] = [ratioOf(measure), baseline[key]];
    if (ratio === undefined || held === undefined) return [];
    return worsening(measure, ratio, held) > TOLERANCE ? [{ key, row, ratio, baseline: held }] : [];
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

/** How many times worse; where more is better, less is worse. */
function worsening({ goal }: Measure, ratio: number, held: number): number {
  const moreIsBetter = goal?.least !== undefined && goal.most === undefined;
  return moreIsBetter ? held / ratio : ratio / held;
}
