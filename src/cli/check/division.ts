/*
 * What `hooklet check --shards` says of a hook. Whether a kind is namespaced is known of built-in kinds alone: of a
 * custom resource without `shard`, check tells both answers, and the operator decides when it finds the kind.
 */

import { HookConfigError, type Issue } from '../../errors.ts';
import type { Binding, Hook, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import { isDividedHook, isTogether, pathOf, shardProblems } from '../../hook/shard-rules.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { findKind } from '../../kube/discovery/kind-search.ts';
import { fieldOfBinding, fieldsOfReconcile } from '../../sources/kubernetes/divisions.ts';
import { builtInKinds } from '../built-in-kinds.ts';
import type { CheckedHook } from './report.ts';

type Followed = KubernetesBinding | ReconcileBinding;

/** Why a hook cannot run with `--shards`: all problems that can be found without a cluster. */
export function divisionProblems(hook: Hook): readonly Issue[] {
  const kinds = hook.bindings.filter(isFollowed).flatMap((binding): readonly Issue[] => {
    const message = refusalOf(hook, binding);
    const field = binding.shard === undefined ? 'kind' : 'shard';
    return message === undefined ? [] : [{ path: `${pathOf(binding, hook.bindings)}.${field}`, message }];
  });
  return [...shardProblems(hook), ...kinds];
}

/** The report of a hook with what `describeDivision` tells. */
export function withDivision(checked: CheckedHook, hook: Hook): CheckedHook {
  const divisions = describeDivision(hook);
  const bindings = checked.bindings.map((binding, index) => ({ ...binding, shards: divisions[index] ?? '' }));
  return { ...checked, bindings };
}

/** Of each binding, in their order, which replicas run it with `--shards` and for which objects. */
export function describeDivision(hook: Hook): readonly string[] {
  return hook.bindings.map((binding) => divisionOf(hook, binding));
}

const LEADER = 'on the replica with slice 00';

function divisionOf(hook: Hook, binding: Binding): string {
  switch (binding.type) {
    case 'onStartup':
    case 'schedule':
    case 'http':
      return LEADER;
    case 'kubernetes':
    case 'reconcile':
      return binding.shard === 'none' ? wholeText(hook) : dividedText(hook, binding);
    case 'kubernetesValidating':
    case 'kubernetesMutating':
    case 'kubernetesCustomResourceConversion':
      return 'on every replica';
    default:
      return unreachable(binding);
  }
}

function wholeText(hook: Hook): string {
  return isDividedHook(hook) ? `followed by each replica, and run ${LEADER}` : LEADER;
}

function dividedText(hook: Hook, binding: Followed): string {
  const field = fieldOf(hook, binding);
  if (field !== undefined) return `divided by ${field}`;
  return isTogether(hook, binding)
    ? 'divided by namespace'
    : 'divided by namespace, by uid if the kind is cluster-scoped';
}

/** Undefined where only the cluster knows the kind. */
function fieldOf(hook: Hook, binding: Followed): string | undefined {
  const field = judged(hook, binding);
  return field instanceof HookConfigError ? binding.shard : (field ?? binding.shard);
}

function refusalOf(hook: Hook, binding: Followed): string | undefined {
  const refused = judged(hook, binding);
  return refused instanceof HookConfigError ? refused.issues[0]?.message : undefined;
}

/** As the operator decides, with its refusal as a value. */
function judged(hook: Hook, binding: Followed): 'namespace' | 'uid' | HookConfigError | undefined {
  const kind = findKind(builtInKinds(), binding);
  const fieldOfKind =
    binding.type === 'kubernetes' ? fieldOfBinding(hook, binding) : fieldsOfReconcile(hook, binding)?.parents;
  if (kind === undefined || fieldOfKind === undefined) return undefined;
  try {
    return fieldOfKind(kind);
  } catch (error) {
    if (error instanceof HookConfigError) return error;
    throw error;
  }
}

function isFollowed(binding: Binding): binding is Followed {
  return binding.type === 'kubernetes' || binding.type === 'reconcile';
}
