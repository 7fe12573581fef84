import { isReached, ratioOf, type Goal, type Measure } from './row.ts';

/** A measure with the row it belongs to. */
export interface Result {
  readonly row: string;
  readonly measure: Measure;
}

const HEAD = ['row', 'measure', 'hooklet', 'limit', 'ratio', 'peer', 'goal', ''] as const;

/** The table of results, as text in columns. */
export function tableOf(results: readonly Result[]): string {
  const rows = [HEAD, ...results.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The table of results, in Markdown; `titleOf` names the rows for a reader. */
export function markdownOf(results: readonly Result[], titleOf: (row: string) => string): string {
  const lines = results.map((result) => {
    const [, ...cells] = cellsOf(result);
    return `| ${[titleOf(result.row), ...cells].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    `| ${HEAD.join(' | ')} |`,
    `|${HEAD.map((_, column) => (column < 2 ? '---' : '--:')).join('|')}|`,
    ...lines,
  ].join('\n');
}

/** The value and its unit, to three digits. */
export function valueText(value: number | undefined, unit: string): string {
  return value === undefined ? '' : `${digits(value)} ${unit}`.trimEnd();
}

function cellsOf({ row, measure }: Result): readonly string[] {
  const { name, unit, hooklet, limit, peer, goal } = measure;
  const ratio = ratioOf(measure);
  return [
    row,
    name,
    valueText(hooklet, unit),
    valueText(limit, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    valueText(peer, unit),
    goalText(goal, unit),
    verdict(measure),
  ];
}

function goalText(goal: Goal | undefined, unit: string): string {
  if (goal === undefined) return '';
  const show = (value: number): string => (goal.type === 'ratio' ? `${value} × limit` : `${value} ${unit}`);
  const { most, least } = goal;
  return [most !== undefined && `≤ ${show(most)}`, least !== undefined && `≥ ${show(least)}`]
    .filter(Boolean)
    .join(', ');
}

function verdict(measure: Measure): string {
  const reached = isReached(measure);
  if (reached === undefined) return '';
  if (reached) return 'ok';
  return measure.goal?.least === undefined ? 'over' : 'under';
}

function digits(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = Number(value.toPrecision(3));
  return Math.abs(rounded) >= 1000 ? rounded.toLocaleString('en-US') : String(rounded);
}
