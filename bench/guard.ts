import { ratioOf, type Measure } from './row.ts';
import type { RowEntry } from './rows.ts';
import type { Result } from './table.ts';

/** The ratios to the limit that are held, by `row/measure`. */
export type Baseline = Readonly<Record<string, number>>;

/** How much worse than the baseline a ratio may be. */
export const TOLERANCE = 1.25;

/** A ratio that is worse than it may be, or one that is held and was not measured. */
export interface Regression {
  readonly key: string;
  readonly row: string;
  readonly said: string;
}

/** What is worse than the baseline allows, in rows that were to be measured. What the baseline does not name is not judged. */
export function judge(
  rows: readonly Pick<RowEntry, 'name'>[],
  results: readonly Result[],
  baseline: Baseline,
): readonly Regression[] {
  return Object.entries(baseline).flatMap(([key, held]) => {
    const row = rows.find(({ name }) => key.startsWith(`${name}/`))?.name;
    if (row === undefined) return [];
    const measure = results.find((result) => keyOf(result.row, result.measure) === key)?.measure;
    const ratio = measure && ratioOf(measure);
    if (measure === undefined || ratio === undefined) return [{ key, row, said: `${key} was not measured` }];
    if (worsening(measure, ratio, held) <= TOLERANCE) return [];
    return [
      { key, row, said: `${key}: ${ratio.toFixed(2)} times the limit, where ${held} is held in bench/baseline.json` },
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

/** How many times worse; where more is better, less is worse. */
function worsening({ goal }: Measure, ratio: number, held: number): number {
  const moreIsBetter = goal?.least !== undefined && goal.most === undefined;
  return moreIsBetter ? held / ratio : ratio / held;
}
