import type { Variables } from './environment.ts';

/** One variable, as a README says it. */
export interface VariableDescription {
  readonly name: string;
  /** Empty where there is none. */
  readonly default: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** What is expected, and what the author says about it. */
  readonly expected: string;
}

/** Describes variables, in their order. */
export function describeEnvironment(variables: Variables): readonly VariableDescription[] {
  return Object.entries(variables).map(([name, { byDefault, isOptional, isSecret, expected, about }]) => ({
    name,
    default: byDefault ?? '',
    isRequired: byDefault === undefined && !isOptional,
    isSecret,
    expected: about === undefined ? expected : `${expected}: ${about}`,
  }));
}

/** The variables as a table in Markdown, whose columns are aligned, for a README; a test can hold it there. */
export function environmentTable(variables: Variables): string {
  const rows = describeEnvironment(variables).map((one) => [
    `\`${one.name}\``,
    defaultCell(one.default, one.isRequired),
    one.expected.replaceAll('|', '\\|'),
  ]);
  const all = [['Variable', 'Default', 'Value'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...body].map(line).join('\n');
}

function defaultCell(byDefault: string, isRequired: boolean): string {
  if (isRequired) return 'required';
  return byDefault === '' ? '' : `\`${byDefault}\``;
}
