/*
 * Whether a hook can run with `--shards`. A divided binding shows a replica the objects of its own slices alone. What
 * runs on one replica, or must see all objects, cannot be given that; and what belongs together must be on one replica,
 * which only a division by namespace guarantees.
 */

import type { Issue } from '../errors.ts';
import { isAskBinding } from './ask-binding.ts';
import type { Binding, Hook, KubernetesBinding, ReconcileBinding } from './binding.ts';
import type { OwnSlice } from './shard.ts';
import { sliceOfTrigger, type Trigger } from './trigger.ts';

export type DividedBinding = KubernetesBinding | ReconcileBinding;

/** Whether each replica follows only a part of the objects of a binding. */
export function isDivided(binding: Binding): boolean {
  return dividedOf([binding]).length > 0;
}

/** Whether each replica runs a hook for a part of the objects; any other hook runs on the holder of slice 00 alone. */
export function isDividedHook({ bindings }: Pick<Hook, 'bindings'>): boolean {
  return bindings.some(isDivided);
}

/**
 * Whether a run shows objects of a divided binding together with those of another one, so that its kind must be
 * namespaced where `shard` says nothing.
 */
export function isTogether({ bindings }: Pick<Hook, 'bindings'>, binding: Binding): boolean {
  return bindings.some(
    (one) => one !== binding && isDivided(one) && (includes(one, binding) || includes(binding, one)),
  );
}

/**
 * Whether a run of these triggers works on objects of an own slice, or may: the Synchronization of the start shows those
 * of all slices that this replica has, until they leave its snapshots.
 */
export function mayShow(slice: OwnSlice, triggers: readonly Trigger[]): boolean {
  return triggers.some((trigger) => sliceOfTrigger(trigger) === slice || isWholeSynchronization(trigger));
}

function isWholeSynchronization(trigger: Trigger): boolean {
  return trigger.type === 'synchronization' && trigger.slice === undefined && isDivided(trigger.binding);
}

/** Why a hook cannot run with `--shards`, one problem a line with what to do; none for one that can. */
export function shardProblems(hook: Pick<Hook, 'bindings' | 'settings'>): readonly Issue[] {
  const { bindings, settings } = hook;
  if (!isDividedHook(hook)) return [];
  const executor =
    settings.executor === undefined
      ? []
      : [
          {
            path: 'settings.executor',
            message: `only hooks whose objects are not divided have it: say shard: none in ${named(dividedOf(bindings))}`,
          },
        ];
  return [...executor, ...bindings.flatMap((binding) => problemsOf(binding, bindings))];
}

function dividedOf(bindings: readonly Binding[]): readonly DividedBinding[] {
  return bindings
    .filter((binding) => binding.type === 'kubernetes' || binding.type === 'reconcile')
    .filter(({ shard }) => shard !== 'none');
}

function problemsOf(binding: Binding, bindings: readonly Binding[]): readonly Issue[] {
  const path = pathOf(binding, bindings);
  if (binding.type === 'reconcile' && binding.shard === 'none') {
    const message = 'none, while other bindings of the hook are divided: put it into a hook of its own';
    return [{ path: `${path}.shard`, message }];
  }
  const shown = dividedOf(bindings).filter((one) => one !== binding && includes(binding, one));
  if (shown.length === 0) return [];
  const [divided] = dividedOf([binding]);
  if (divided !== undefined) return apart(divided, shown, path);
  if (binding.type === 'kubernetes' && isSilent(binding)) return [];
  return [{ path: `${path}.includeSnapshotsFrom`, message: partial(binding, shown) }];
}

/** What shows objects of several divided bindings needs those of a namespace on one replica. */
function apart(binding: DividedBinding, shown: readonly DividedBinding[], path: string): readonly Issue[] {
  const byUid = [binding, ...shown].filter(({ shard }) => shard === 'uid');
  if (byUid.length === 0) return [];
  const message = `shows ${named(shown)}, and objects that are divided by uid are not on one replica with them: say shard: namespace or shard: none in ${named(byUid)}`;
  return [{ path: `${path}.includeSnapshotsFrom`, message }];
}

function partial(binding: Binding, shown: readonly DividedBinding[]): string {
  const where = isAskBinding(binding) ? 'is answered by any replica' : 'runs on one replica';
  const advice =
    binding.type === 'kubernetes'
      ? 'there, or executeHookOnEvent: [] and executeHookOnSynchronization: false here'
      : 'there';
  return `it ${where}, which has only a part of the objects of ${named(shown)}: say shard: none ${advice}`;
}

/** Whether a binding only fills a snapshot. */
function isSilent({ executeHookOnEvent, executeHookOnSynchronization }: KubernetesBinding): boolean {
  return executeHookOnEvent.length === 0 && !executeHookOnSynchronization;
}

function includes(binding: Binding, shown: Binding): boolean {
  if (shown.type !== 'kubernetes' || !('includeSnapshotsFrom' in binding)) return false;
  return binding.includeSnapshotsFrom.includes(shown.name);
}

function named(bindings: readonly DividedBinding[]): string {
  return [...new Set(bindings.map(({ type, name }) => (name === type ? type : `${type} ${name}`)))].join(', ');
}

/** Where a binding is in the config of its hook, such as `kubernetes[1]`. */
export function pathOf(binding: Binding, bindings: readonly Binding[]): string {
  const index = bindings.filter(({ type }) => type === binding.type).indexOf(binding);
  return `${binding.type}[${index}]`;
}
