import type { DryChange } from '../../operator/dry-run/dry-change.ts';

const MARKS = { create: '+', change: '~', delete: '-', unknown: '?' } as const;

/** The changes as text, by object, and a line that counts them. */
export function diffText(changes: readonly DryChange[]): string {
  const count = (kind: DryChange['change']): number => changes.filter(({ change }) => change === kind).length;
  const unknown = count('unknown') === 0 ? '' : `, ${count('unknown')} not known`;
  const summary = `${count('create')} would be created, ${count('change')} changed, ${count('delete')} deleted${unknown}`;
  return `${changes.map(changeLines).join('')}${summary}\n`;
}

function changeLines({ hook, change, object, fields, moreFields, note }: DryChange): string {
  return [
    `${MARKS[change]} ${object} (${hook === 'hooklet' ? 'hooklet' : `hook ${hook}`})`,
    ...(note === undefined ? [] : [`    ${note}`]),
    ...fields.map((field) => `    ${field}`),
    ...(moreFields === undefined ? [] : [`    and ${moreFields} more fields`]),
    '',
  ].join('\n');
}
