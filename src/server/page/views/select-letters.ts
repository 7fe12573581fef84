import type { DeadFilter, DeadLetterStatus } from '../../../hook/dead-control.ts';
import { objectText } from '../../../hook/run-record.ts';
import type { ViewContext } from '../view.ts';
import { lettersOfGroup, type GroupSource } from './failure-groups.ts';

/** Which dead letters are meant: by their fields, and by what their runs said last. */
export interface LetterFilter extends Omit<DeadFilter, 'ids'> {
  /** The key of a group of failures. */
  readonly group?: string;
}

/** The filter in the URL of a list, or in a form. */
export function filterOf(given: ViewContext['given']): LetterFilter {
  const names = ['id', 'hook', 'reason', 'object', 'group'] as const;
  return Object.fromEntries(names.flatMap((name) => (given(name) === undefined ? [] : [[name, given(name)]])));
}

/** The letters that a filter means, the last given up first. */
export async function selectLetters(filter: LetterFilter, source: GroupSource): Promise<readonly DeadLetterStatus[]> {
  const { group } = filter;
  const all = group === undefined ? await source.model.dead.list() : await lettersOfGroup(group, source);
  return all.filter((letter) => isMatch(letter, filter));
}

/** Whether a letter is one of those that the fields of a filter mean. */
export function isMatch({ id, hook, reason, why, trigger }: DeadLetterStatus, filter: DeadFilter): boolean {
  const object = 'name' in trigger ? objectText(trigger) : undefined;
  const isReason = filter.reason === undefined || filter.reason === reason || filter.reason === why;
  const isOneOfThese = filter.ids?.includes(id) ?? true;
  return (
    isReason && isOneOfThese && isEqual(filter.id, id) && isEqual(filter.hook, hook) && isEqual(filter.object, object)
  );
}

function isEqual(wanted: string | undefined, value: string | undefined): boolean {
  return wanted === undefined || wanted === value;
}
