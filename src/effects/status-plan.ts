import { isDeepStrictEqual } from 'node:util';
import type { Condition, ContextResult } from '../hook/result.ts';
import { covers } from './api-object.ts';
import { conditionsIn, ownedStatus, statusOf, type OwnedStatus } from './owned-status.ts';
import type { JsonObject } from '../lib/json-object.ts';

/** What a hook wants in the status of an object. */
export type WantedStatus = Pick<ContextResult, 'conditions' | 'status'>;

/** A field that the runner adds, unless the schema of the kind lacks it. */
export type AddedField = 'observedGeneration' | 'conditions.observedGeneration' | 'conditions.lastTransitionTime';

export interface PlanOptions {
  /** The generation that the run saw; 0 for a kind that has none. */
  readonly generation: number;
  /** Whether the status of the kind belongs to controllers of Kubernetes itself. */
  readonly isBuiltIn: boolean;
  readonly lacks: ReadonlySet<AddedField>;
  readonly nowMs: number;
}

/** What is to be applied; nothing differs from the live object when `isSame`. */
export interface StatusPlan {
  readonly status: JsonObject;
  readonly isSame: boolean;
}

/**
 * Makes the status that is sent by server-side apply, from the live object and what the hook wants. Pure.
 *
 * Conditions and fields that hooklet wrote before and the hook does not mention now are sent as they are, so that they
 * stay; a field that the hook sets to `null` is left out, which removes it. Where the list of conditions has one owner,
 * the conditions of others are sent too, since applying the list replaces it.
 */
export function planStatus(live: JsonObject, wanted: WantedStatus, options: PlanOptions): StatusPlan {
  const owned = ownedStatus(live);
  const liveStatus = statusOf(live);
  const fields = fieldsOf(wanted, { owned, options });
  const conditions = conditionsOf(live, wanted.conditions, { owned, options });
  const status = { ...fields, ...(conditions.length > 0 && { conditions }) };
  const isSame =
    Object.keys(owned.fields).every((key) => key in fields) &&
    Object.entries(fields).every(
      ([key, value]) => isDeepStrictEqual(liveStatus[key], value) || isDeepStrictEqual(owned.fields[key], value),
    ) &&
    conditions.every((condition) => covers(conditionIn(liveStatus['conditions'], condition['type']), condition));
  return { status, isSame };
}

/** Which fields that the runner added are not in the status that came of what was sent. */
export function droppedFields(sent: JsonObject, came: JsonObject): readonly AddedField[] {
  const isDropped = (field: string): boolean =>
    conditionsIn(sent['conditions']).some((condition) => {
      const after = conditionIn(came['conditions'], condition['type']);
      return field in condition && after !== undefined && !(field in after);
    });
  return [
    ...('observedGeneration' in sent && !('observedGeneration' in came) ? (['observedGeneration'] as const) : []),
    ...(isDropped('observedGeneration') ? (['conditions.observedGeneration'] as const) : []),
    ...(isDropped('lastTransitionTime') ? (['conditions.lastTransitionTime'] as const) : []),
  ];
}

interface Means {
  readonly owned: OwnedStatus;
  readonly options: PlanOptions;
}

function fieldsOf({ status: given = {} }: WantedStatus, { owned, options }: Means): JsonObject {
  const isObserved = !options.isBuiltIn && !owned.isObservedByOthers && !options.lacks.has('observedGeneration');
  const generation = isObserved ? options.generation : 0;
  const { observedGeneration: _before, ...kept } = owned.fields;
  const observed = generation > 0 ? { observedGeneration: generation } : {};
  const all = { ...kept, ...observed, ...given };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
}

function conditionsOf(
  live: JsonObject,
  wanted: readonly Condition[],
  { owned, options }: Means,
): readonly JsonObject[] {
  const liveConditions = conditionsIn(statusOf(live)['conditions']);
  const sendsAll = !owned.hasConditionOwners && (wanted.length > 0 || owned.conditions.length > 0);
  const kept = sendsAll ? liveConditions : owned.conditions;
  const made = new Map(
    wanted.map((condition) => [condition.type, madeCondition(condition, { liveConditions, options })]),
  );
  const merged = kept.map((condition) => made.get(String(condition['type'])) ?? condition);
  const types = new Set(kept.map((condition) => condition['type']));
  return [...merged, ...[...made].flatMap(([type, condition]) => (types.has(type) ? [] : [condition]))];
}

interface ConditionMeans {
  readonly liveConditions: readonly JsonObject[];
  readonly options: PlanOptions;
}

/** `lastTransitionTime` stays while the status of the condition is the same. */
function madeCondition(condition: Condition, { liveConditions, options }: ConditionMeans): JsonObject {
  const { type, status, reason, message } = condition;
  const before = conditionIn(liveConditions, type);
  const since = before?.['lastTransitionTime'];
  const { generation } = options;
  const isKept = before?.['status'] === status && typeof since === 'string';
  return {
    type,
    status,
    ...(generation > 0 && !options.lacks.has('conditions.observedGeneration') && { observedGeneration: generation }),
    ...(!options.lacks.has('conditions.lastTransitionTime') && {
      lastTransitionTime: isKept ? since : timestamp(options.nowMs),
    }),
    reason,
    message,
  };
}

function conditionIn(list: unknown, type: unknown): JsonObject | undefined {
  return conditionsIn(list).find((condition) => condition['type'] === type);
}

/** RFC 3339 in UTC with whole seconds. */
function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
