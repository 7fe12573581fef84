import type { Condition, ContextResult, HookResult, ResultEvent } from '../../hook/result.ts';
import { isBuiltIn, type ResourceKind } from '../../kube/kind.ts';
import type { ResultSubject } from './result-subjects.ts';

/** What is to be reported of a result, and what of it cannot be. */
export interface ResultWishes {
  readonly statuses: readonly StatusWish[];
  readonly events: readonly EventWish[];
  /** Texts for the log. */
  readonly problems: readonly string[];
}

/** What one object is to get, from all contexts about it. */
export interface StatusWish {
  readonly subject: ResultSubject;
  readonly conditions: readonly Condition[];
  readonly status?: Readonly<Record<string, unknown>>;
}

/** An Event, and the object of its context, if any. */
export interface EventWish {
  readonly event: ResultEvent;
  readonly subject: ResultSubject | undefined;
  /** It tells why the hook refuses the object: once for its reason and the generation of the object. */
  readonly isRefusal?: boolean;
}

/** Whether a result asks for anything that is reported. */
export function asksForReport(result: HookResult): boolean {
  return [result, ...result.contexts.values()].some(
    (one) => one.events.length > 0 || one.refused !== undefined || hasStatus(one),
  );
}

/** The result of a run that refuses nothing. */
export function withoutRefusals({ refused: _whole, contexts, ...result }: HookResult): HookResult {
  const parts = [...contexts].map(([index, { refused: _own, ...part }]) => [index, part] as const);
  return { ...result, contexts: new Map(parts) };
}

/**
 * Sorts what a result says by objects. Pure; `subjects` are those of the contexts, in order.
 *
 * The fields at the top are about the object of the run, when all its contexts are about the same one. A later context
 * of an object counts more than an earlier one, and more than the top. What was said before a deletion is dropped.
 */
export function wishesOf(result: HookResult, subjects: readonly (ResultSubject | undefined)[]): ResultWishes {
  const shared = sharedSubject(subjects);
  const parts: readonly Part[] = [
    { name: '', result, subject: shared },
    ...[...result.contexts].map(([index, context]) => ({
      name: `contexts[${index}]: `,
      index,
      result: context,
      subject: subjects[index],
    })),
  ];
  const problems = parts.flatMap((part) => problemOf(part, subjects));
  return { statuses: statusesOf(parts.map(withRefusal), subjects), events: parts.flatMap(eventsOf), problems };
}

interface Part {
  readonly name: string;
  readonly index?: number;
  readonly result: ContextResult;
  readonly subject: ResultSubject | undefined;
}

function sharedSubject(subjects: readonly (ResultSubject | undefined)[]): ResultSubject | undefined {
  const last = subjects.at(-1);
  return subjects.every((subject) => subject?.key === last?.key) ? last : undefined;
}

function problemOf({ name, index, result, subject }: Part, subjects: readonly unknown[]): readonly string[] {
  const { length } = subjects;
  if (index !== undefined && index >= length)
    return [`${name}the run has ${length} context(s), expected a lower index`];
  if (subject !== undefined || !hasStatus(result)) return [];
  if (index === undefined && subjects.some((one) => one !== undefined)) {
    return ['conditions and status: the contexts of this run are not about one object, expected them in `contexts`'];
  }
  return [`${name}conditions and status: this context has no object that could get them`];
}

function statusesOf(parts: readonly Part[], subjects: readonly (ResultSubject | undefined)[]): readonly StatusWish[] {
  const newest = new Map(subjects.flatMap((subject) => (subject === undefined ? [] : [[subject.key, subject]])));
  const deletedAt = new Map(subjects.flatMap((one, index) => (one?.isDeleted === true ? [[one.key, index]] : [])));
  const wishes = new Map<string, StatusWish>();
  for (const { index = -1, result, subject } of parts.toSorted((a, b) => (a.index ?? -1) - (b.index ?? -1))) {
    if (subject === undefined || !hasStatus(result)) continue;
    const isLate = index >= 0 && index < (deletedAt.get(subject.key) ?? -1);
    const target = newest.get(subject.key) ?? subject;
    if (target.isDeleted || isLate) continue;
    wishes.set(subject.key, merged(wishes.get(subject.key), result, target));
  }
  return [...wishes.values()];
}

function merged(
  before: StatusWish | undefined,
  { conditions, status }: ContextResult,
  subject: ResultSubject,
): StatusWish {
  const types = new Set(conditions.map(({ type }) => type));
  const kept = (before?.conditions ?? []).filter(({ type }) => !types.has(type));
  const fields = before?.status === undefined && status === undefined ? undefined : { ...before?.status, ...status };
  return { subject, conditions: [...kept, ...conditions], ...(fields !== undefined && { status: fields }) };
}

/** A refusal makes the object not ready, where its kind may say so and the hook says nothing of it. */
function withRefusal(part: Part): Part {
  const { result, subject } = part;
  const { refused, conditions } = result;
  if (refused === undefined || subject === undefined || !hasReady(subject.kind)) return part;
  if (conditions.some(({ type }) => type === READY)) return part;
  const ready: Condition = { type: READY, status: 'False', ...refused };
  return { ...part, result: { ...result, conditions: [...conditions, ready] } };
}

const READY = 'Ready';

/** Built-in kinds have conditions of their own. */
function hasReady(kind: ResourceKind): boolean {
  return !isBuiltIn(kind) && kind.subresources.includes('status');
}

function eventsOf({ result, subject }: Part): readonly EventWish[] {
  const { refused, events } = result;
  const said = events.map((event) => ({ event, subject }));
  if (refused === undefined || subject === undefined || subject.isDeleted) return said;
  return [...said, { event: { type: 'Warning', ...refused }, subject, isRefusal: true }];
}

function hasStatus({ conditions, status }: ContextResult): boolean {
  return conditions.length > 0 || status !== undefined;
}
