/* A plan is one disturbed run of a scenario, and its text, which `--plan` takes. */

import { ScenarioError } from '../../errors.ts';
import type { Disturbance } from '../disturbance.ts';
import type { PerturbKind } from '../scenario.ts';

/** How one field of an object is made wrong, and back again. */
export interface Misuse {
  /** `Kind/namespace/name`; the namespace may be empty. */
  readonly object: string;
  /** The field, as a JSON pointer. */
  readonly field: string;
  readonly how: MisuseHow;
}

/** What a field is set to; `changed` is the only one that stays right. */
export type MisuseHow = 'changed' | 'empty' | 'negative' | 'garbage' | 'wrong-type' | 'removed';

export const MISUSES: readonly MisuseHow[] = ['changed', 'empty', 'negative', 'garbage', 'wrong-type', 'removed'];

/** After the last action the operator is killed, and the next one first sees the cluster as before the n-th watch event. */
export interface Past {
  readonly type: 'past';
  readonly event: number;
}

/** One disturbed run. `actions`: only this many actions of the scenario; absent: all. */
export interface Plan {
  readonly kind: PerturbKind;
  readonly disturbance?: Disturbance | Past;
  readonly misuse?: Misuse;
  readonly actions?: number;
}

/** The text of a plan, such as `crash:2`, `refuse:3:429`, `down:4@5` or `misuse:Site/default/web:/spec/size:removed`. */
export function planText(plan: Plan): string {
  return `${bareText(plan)}${plan.actions === undefined ? '' : `@${plan.actions}`}`;
}

function bareText({ kind, disturbance, misuse }: Plan): string {
  if (misuse !== undefined) return `misuse:${misuse.object}:${misuse.field}:${misuse.how}`;
  if (disturbance === undefined) return kind;
  if ('event' in disturbance) return `${disturbance.type}:${disturbance.event}`;
  switch (disturbance.type) {
    case 'crash':
      return `crash:${disturbance.afterEffect}`;
    case 'refuse':
      return `refuse:${disturbance.request}:${disturbance.how}`;
    case 'answer':
      return `app:${disturbance.call}:${disturbance.how}`;
    case 'down':
      return `down:${disturbance.action}`;
  }
}

/** Reads what `planText` wrote. Throws a `ScenarioError` that says which plans there are. */
export function parsePlan(text: string): Plan {
  const misuse = MISUSE.exec(text)?.groups;
  if (misuse !== undefined) return misusePlan(text, misuse);
  const groups = PLAN.exec(text)?.groups;
  if (groups === undefined) throw unknownPlan(text);
  const plan = numbered(groups['kind'] ?? '', Number(groups['number'] ?? 0), groups['how'] ?? '');
  if (plan === undefined) throw unknownPlan(text);
  return groups['actions'] === undefined ? plan : { ...plan, actions: Number(groups['actions']) };
}

const PLAN = /^(?<kind>[a-z]+)(?::(?<number>[1-9][0-9]{0,8}))?(?::(?<how>[a-z0-9]+))?(?:@(?<actions>[0-9]{1,9}))?$/;
const MISUSE = /^misuse:(?<object>[^:/]+\/[^:/]*\/[^/]+?):(?<field>\/.*):(?<how>[a-z-]+)$/s;

function misusePlan(text: string, groups: Readonly<Record<string, string>>): Plan {
  const how = MISUSES.find((known) => known === groups['how']);
  if (how === undefined) throw unknownPlan(text);
  return { kind: 'misuse', misuse: { object: groups['object'] ?? '', field: groups['field'] ?? '', how } };
}

function numbered(kind: string, number: number, how: string): Plan | undefined {
  if (kind === 'twice') return number === 0 && how === '' ? { kind } : undefined;
  if (number === 0) return undefined;
  if (kind === 'refuse') return refusal(number, how);
  if (kind === 'app') {
    if (how !== 'fail' && how !== 'empty') return undefined;
    return { kind, disturbance: { type: 'answer', call: number, how } };
  }
  return how === '' ? counted(kind, number) : undefined;
}

function counted(kind: string, number: number): Plan | undefined {
  switch (kind) {
    case 'crash':
      return { kind, disturbance: { type: 'crash', afterEffect: number } };
    case 'skip':
    case 'double':
    case 'stale':
      return { kind, disturbance: { type: kind, event: number } };
    case 'past':
      return { kind: 'stale', disturbance: { type: 'past', event: number } };
    case 'down':
      return { kind: 'skip', disturbance: { type: 'down', action: number } };
    default:
      return undefined;
  }
}

const REFUSALS = [409, 429, 500, 'timeout'] as const;

function refusal(request: number, text: string): Plan | undefined {
  const how = REFUSALS.find((known) => String(known) === text);
  return how === undefined ? undefined : { kind: 'refuse', disturbance: { type: 'refuse', request, how } };
}

function unknownPlan(text: string): ScenarioError {
  return new ScenarioError(
    `there is no plan ${JSON.stringify(text)}: a plan is twice, crash:N, skip:N, down:N, stale:N, past:N, double:N, ` +
      'refuse:N:409 (429, 500, timeout), app:N:fail (empty) or misuse:KIND/NAMESPACE/NAME:/FIELD:HOW, where HOW is one ' +
      `of ${MISUSES.join(', ')}; N counts from 1, and @K behind it plays only the first K actions`,
  );
}
