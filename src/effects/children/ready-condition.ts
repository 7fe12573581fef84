import type { Condition } from '../../hook/result.ts';
import type { ChildProblem, ProblemType } from './problem.ts';
import type { ChildStatus, DesiredStateOutcome } from './reach.ts';

const MAX_SHOWN = 5;
const MAX_MESSAGE = 1024;

const REASONS: Readonly<Record<ProblemType, string>> = {
  invalid: 'ChildrenInvalid',
  refused: 'ChildRefused',
  forbidden: 'ChildForbidden',
  kind: 'ChildKindUnknown',
  taken: 'ChildNameTaken',
  changed: 'ChildChanged',
  lost: 'ChildNotWritten',
};

/** The condition `Ready` of a parent: true when all children are there as wanted, and ready. */
export function readyCondition({ problems, children, waiting }: ReadyInput): Condition {
  const [first] = problems;
  if (first !== undefined) return notReady(REASONS[first.type], problems.map(textOfProblem));
  const failed = children.filter(({ state }) => state === 'failed');
  if (failed.length > 0) return notReady('ChildFailed', failed.map(textOfChild));
  const open = children.filter(({ state, isCurrent }) => state !== 'ready' || !isCurrent);
  if (open.length > 0) {
    const counted = `${open.length} of ${children.length} children are not ready`;
    return notReady('ChildrenNotReady', [counted, ...open.map(textOfChild)]);
  }
  if (waiting.length > 0)
    return notReady('ChildrenWaiting', [`not deleted yet: ${waiting.slice(0, MAX_SHOWN).join(', ')}`]);
  const message = children.length === 0 ? 'there are no children' : `all ${children.length} children are ready`;
  return { type: 'Ready', status: 'True', reason: children.length === 0 ? 'NoChildren' : 'ChildrenReady', message };
}

/** The part of an outcome that the condition is made of. */
export type ReadyInput = Pick<DesiredStateOutcome, 'problems' | 'children' | 'waiting'>;

function notReady(reason: string, texts: readonly string[]): Condition {
  const more = texts.length > MAX_SHOWN ? [`and ${texts.length - MAX_SHOWN} more`] : [];
  const message = [...texts.slice(0, MAX_SHOWN), ...more].join('; ');
  return { type: 'Ready', status: 'False', reason, message: message.slice(0, MAX_MESSAGE) };
}

function textOfProblem({ child, message }: ChildProblem): string {
  return `${child}: ${message}`;
}

function textOfChild({ child, state, message, isCurrent, waitsFor = [] }: ChildStatus): string {
  const isOutdated = state === 'ready' && !isCurrent;
  if (waitsFor.length > 0 && (isOutdated || state === 'absent')) return `${child}: waits for ${shown(waitsFor)}`;
  return `${child}: ${isOutdated ? 'is not yet as it should be' : message}`;
}

function shown(names: readonly string[]): string {
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '';
  return `${names.slice(0, MAX_SHOWN).join(', ')}${more}`;
}
