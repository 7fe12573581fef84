import { readAnswer } from '../../effects/children/answer.ts';
import type { WantedChild } from '../../effects/children/desired.ts';
import { APPLIED_ANNOTATION, BINDING_LABEL, PARENT_LABEL } from '../../effects/children/marks.ts';
import { HookOutputError } from '../../errors.ts';
import type { Hook, ReconcileBinding } from '../../hook/binding.ts';
import type { DesiredChild, HookResult, ResultOutcome } from '../../hook/result.ts';
import { failureBySaying } from '../../run/classify.ts';
import { givenKinds } from './given-kinds.ts';
import { NEVER } from './local-runner.ts';
import { isObject } from '../../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The children of one Reconcile context, checked; sorted by apiVersion, kind, namespace and name. */
export interface AnsweredContext {
  readonly binding: ReconcileBinding;
  /** As they are applied, with the marks. */
  readonly wanted: readonly WantedChild[];
  /** The hook's work is not done yet, so no child is deleted. */
  readonly isLater: boolean;
}

/** How a run ended. */
export interface AnsweredRun {
  readonly hook: Hook;
  readonly contexts: readonly Fields[];
  readonly result: HookResult | undefined;
  readonly outcome: ResultOutcome;
}

/**
 * Checks the children that a run answered with, by the rules of the operator as far as they need no cluster. Throws
 * `HookOutputError` with all problems, and `HookFailedError` for a context that has failed. A context whose children are
 * left as they are is not in the list.
 */
export async function answersOf(run: AnsweredRun): Promise<readonly AnsweredContext[]> {
  const { hook, contexts, result, outcome } = run;
  if (result === undefined) return [];
  const answers: AnsweredContext[] = [];
  for (const [index, context] of contexts.entries()) {
    const answer = result.contexts.get(index) ?? result;
    const { children, outcome: own } = answer;
    const binding = hook.bindings.find((one) => one.type === 'reconcile' && one.name === context['binding']);
    if (binding?.type !== 'reconcile') continue;
    if (own === 'failed' || own === 'permanent') {
      throw failureBySaying(hook.name, own, { ...answer, contexts: new Map() });
    }
    if (children === undefined) continue;
    const isLater = outcome === 'later' || own === 'later';
    answers.push({ binding, isLater, wanted: await checked(binding, context['object'], children) });
  }
  return answers;
}

// In place of the uid that an object in a file may lack.
const NO_UID = '00000000-0000-0000-0000-000000000000';

async function checked(
  binding: ReconcileBinding,
  object: unknown,
  desired: readonly DesiredChild[],
): Promise<readonly WantedChild[]> {
  const { apiVersion = 'v1', kind } = binding;
  const metadata = fieldsOf(fieldsOf(object)['metadata']);
  const [namespace, name, uid] = [textOf(metadata['namespace']), textOf(metadata['name']), textOf(metadata['uid'])];
  const parent = { apiVersion, kind, namespace, name, uid: uid === '' ? NO_UID : uid };
  const kinds = givenKinds(
    desired.map((child) => child.object),
    namespace,
  );
  const { wanted, problems } = await readAnswer({ binding, parent, desired }, { kinds, signal: NEVER });
  if (problems.length === 0) return wanted.toSorted(byPlace);
  const lines = problems.map(({ child, message }) => `\n  ${child}: ${message}`);
  const where = namespace === '' ? name : `${namespace}/${name}`;
  throw new HookOutputError(`${problems.length} problem(s) with children of ${kind} ${where}:${lines.join('')}`);
}

/** A child as the hook wants it: with its namespace, without the marks that are added to it. */
export function unmarked(object: Fields): Fields {
  const { labels, annotations, ownerReferences: _owners, ...metadata } = fieldsOf(object['metadata']);
  const own = {
    ...without('labels', labels, [BINDING_LABEL, PARENT_LABEL]),
    ...without('annotations', annotations, [APPLIED_ANNOTATION]),
  };
  return { ...object, metadata: { ...metadata, ...own } };
}

/** By apiVersion, kind, namespace and name. */
function byPlace(one: WantedChild, other: WantedChild): number {
  for (const field of ['apiVersion', 'kind', 'namespace', 'name'] as const) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -1 : 1;
  }
  return 0;
}

function without(field: string, value: unknown, keys: readonly string[]): Fields {
  const left = Object.entries(fieldsOf(value)).filter(([key]) => !keys.includes(key));
  return left.length === 0 ? {} : { [field]: Object.fromEntries(left) };
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
