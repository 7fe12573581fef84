import { createHash } from 'node:crypto';

import type { DesiredChild, OnChange } from '../../hook/result.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { isDeeperThan, sortedJson } from './canonical.ts';
import { checkedChild, type CheckedChild } from './checked-child.ts';
import type { Applied } from './differs.ts';
import type { KindTable } from './kind-table.ts';
import { keyOf, nameOfChild, type Named } from './live-child.ts';
import { withAppliedHash, withMarks, type Marks, type Parent } from './marks.ts';
import { needsOf, resolveAfter } from './order.ts';
import type { ChildProblem } from './problem.ts';

/** A child of the hook's answer that was checked, ready to be sent. */
export interface WantedChild extends Named, Applied {
  readonly key: string;
  /** `Deployment/web`. */
  readonly label: string;
  readonly resource: ResourceKind;
  readonly onChange: OnChange;
  /** The children that must be ready before this one is written, by their index. */
  readonly after: readonly number[];
  /** The children that must be there: its namespace, its definition. */
  readonly needs: readonly number[];
}

export interface Answer {
  readonly parent: Parent;
  readonly marks: Marks;
  readonly desired: readonly DesiredChild[];
  readonly kinds: KindTable;
}

/** The children of an answer; with any problem of type `invalid` nothing may be written. */
export interface CheckedAnswer {
  readonly wanted: readonly WantedChild[];
  readonly problems: readonly ChildProblem[];
}

const MAX_CHILDREN = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_DEPTH = 200;
const MAX_PROBLEMS = 100;

/** Checks an answer, and reports all its problems at once. */
export function readDesired(answer: Answer): CheckedAnswer {
  const { desired } = answer;
  if (desired.length > MAX_CHILDREN) {
    return refused(`has ${desired.length} children, expected at most ${MAX_CHILDREN}`);
  }
  const deep = desired.findIndex(({ object }) => isDeeperThan(object, MAX_DEPTH));
  if (deep !== -1) return refused(`children[${deep}] is nested deeper than ${MAX_DEPTH} levels`);
  const problems: ChildProblem[] = [];
  const checked: Numbered[] = [];
  for (const [index, { object }] of desired.entries()) {
    const place = `children[${index}]`;
    const result = checkedChild(object, { ...answer, place });
    if ('problems' in result) problems.push(...result.problems);
    else checked.push({ child: result, index });
  }
  problems.push(...duplicates(checked, answer.parent));
  return finish(answer, checked, problems);
}

interface Numbered {
  readonly child: CheckedChild;
  readonly index: number;
}

function finish(answer: Answer, checked: readonly Numbered[], problems: ChildProblem[]): CheckedAnswer {
  const { parent, marks, desired } = answer;
  const names = checked.map(({ child, index }) => ({ ...child.named, after: desired[index]?.after ?? [], index }));
  // Names that `after` could mean may be among the children with problems, so it is resolved only without any.
  const order = problems.length === 0 ? resolveAfter(names, parent) : { after: [], problems: [] };
  problems.push(...order.problems);
  let bytes = 0;
  const wanted = checked.map(({ child }, at): WantedChild => {
    const marked = withMarks(child.object, parent, marks);
    const json = sortedJson(marked);
    bytes += json.length;
    const hash = createHash('sha256').update(json).digest('hex').slice(0, 32);
    return {
      ...child.named,
      key: keyOf(child.named),
      label: nameOfChild(child.named, parent),
      resource: child.resource,
      onChange: child.owned.onChange,
      object: withAppliedHash(marked, hash),
      hash,
      after: order.after[at] ?? [],
      needs: [],
    };
  });
  if (bytes > MAX_BYTES) return refused(`the children have ${bytes} bytes, expected at most ${MAX_BYTES}`);
  const needs = needsOf(wanted);
  return { wanted: wanted.map((child, at) => ({ ...child, needs: needs[at] ?? [] })), problems: shortened(problems) };
}

function duplicates(checked: readonly Numbered[], parent: Parent): readonly ChildProblem[] {
  const seen = new Map<string, number>();
  const problems: ChildProblem[] = [];
  for (const { child, index } of checked) {
    const key = keyOf(child.named);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else {
      const message = `children[${index}] is the same object as children[${first}]: give each child once`;
      problems.push({ type: 'invalid', child: nameOfChild(child.named, parent), message });
    }
  }
  return problems;
}

function refused(message: string): CheckedAnswer {
  return { wanted: [], problems: [{ type: 'invalid', child: 'children', message }] };
}

function shortened(problems: readonly ChildProblem[]): readonly ChildProblem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const message = `and ${problems.length - MAX_PROBLEMS} more problems`;
  return [...problems.slice(0, MAX_PROBLEMS), { type: 'invalid', child: 'children', message }];
}
