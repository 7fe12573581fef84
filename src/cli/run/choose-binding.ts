import { UsageError } from '../../errors.ts';
import type { Binding, Hook, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import { ownedKey } from '../../hook/reconcile-mark.ts';
import { shown } from '../../lib/shown.ts';
import { excludedBy, watchesKind } from './match.ts';
import { objectName, type GivenObject } from './object.ts';

/** Which binding was meant. */
export interface Naming {
  /** Its name; absent: the only one that matches. */
  readonly binding?: string;
}

/** The only binding of a type, or the one of that type that was named. */
export function onlyOne<T extends Binding>(
  hook: Hook,
  request: Naming,
  isType: (binding: Binding) => binding is T,
  event: string,
): T {
  const found = namedBindings(hook, request, isType);
  if (found.length === 0) throw new UsageError(`hook ${hook.name} does not run on ${event}: ${listed(hook)}`);
  return onlyBinding(hook, found, `run on ${event}`);
}

/** The bindings of a type, or the one of them that was named; throws if there is no such one. */
export function namedBindings<T extends Binding>(
  hook: Hook,
  { binding: wanted }: Naming,
  isType: (binding: Binding) => binding is T,
): readonly T[] {
  const bindings = hook.bindings.filter(isType);
  if (wanted === undefined) return bindings;
  const found = bindings.filter((binding) => bindingName(binding) === wanted);
  if (found.length > 0) return found;
  throw new UsageError(`--binding: got ${shown(wanted)}, which ${hook.name} does not have for this: ${listed(hook)}`);
}

/** The only one of `bindings`; throws if there are several. */
export function onlyBinding<T extends Binding>(hook: Hook, bindings: readonly T[], what: string): T {
  const [first, ...more] = bindings;
  if (first !== undefined && more.length === 0) return first;
  const names = bindings.map(bindingName).join(', ');
  throw new UsageError(`several bindings of ${hook.name} ${what}: ${names}; choose one with --binding`);
}

/** The bindings that watch the object; throws with the reason of each binding if none does. */
export function watchingBindings(hook: Hook, request: Naming, object: GivenObject): readonly KubernetesBinding[] {
  const named = namedBindings(hook, request, isKubernetes);
  const ofKind = named.filter((binding) => isOfKind(binding, object, request));
  if (ofKind.length === 0) {
    const watched = named.map(({ name, kind, apiVersion }) => `${name} watches ${[apiVersion, kind].join(' ').trim()}`);
    const none = watched.length === 0 ? listed(hook) : watched.join('; ');
    throw new UsageError(`hook ${hook.name} does not watch ${objectName(object)}: ${none}`);
  }
  const watching = ofKind.filter((binding) => excludedBy(binding, object) === undefined);
  if (watching.length > 0) return watching;
  const reasons = ofKind.map((binding) => `${binding.name} excludes it by ${excludedBy(binding, object)}`);
  throw new UsageError(`hook ${hook.name} does not watch ${objectName(object)}: ${reasons.join('; ')}`);
}

/** Whether the object is in the snapshot of the binding. */
export function isWatched(binding: KubernetesBinding, object: GivenObject, request: Naming): boolean {
  return isOfKind(binding, object, request) && excludedBy(binding, object) === undefined;
}

/** For a kind that cannot be decided without a cluster, the user's choice with `--binding` counts. */
function isOfKind(binding: KubernetesBinding, object: GivenObject, request: Naming): boolean {
  const answer = watchesKind(binding, object);
  return answer === 'yes' || (answer === 'unknown' && request.binding === binding.name);
}

/** The bindings whose parent the object is; throws with the reason of each binding if it is of none. */
export function selecting(
  hook: Hook,
  bindings: readonly ReconcileBinding[],
  parent: GivenObject,
): readonly ReconcileBinding[] {
  const reasons = bindings.map((binding) => {
    const { apiVersion = '', kind } = binding;
    if (ownedKey(binding) !== ownedKey(parent)) return `${binding.name} is for ${apiVersion} ${kind}`;
    const excluded = excludedBy(binding, parent);
    return excluded === undefined ? undefined : `${binding.name} excludes it by ${excluded}`;
  });
  const found = bindings.filter((_, index) => reasons[index] === undefined);
  if (found.length > 0) return found;
  throw new UsageError(`hook ${hook.name} does not reconcile ${objectName(parent)}: ${reasons.join('; ')}`);
}

/** Lists the bindings of the hook, for an error about a missing one. */
export function listed({ bindings }: Hook): string {
  return `it has ${bindings.map((binding) => `${binding.type} ${bindingName(binding)}`).join(', ')}`;
}

/** The name of a binding in contexts and for `--binding`. */
export function bindingName(binding: Binding): string {
  return binding.type === 'onStartup' ? 'onStartup' : binding.name;
}

export function isKubernetes(binding: Binding): binding is KubernetesBinding {
  return binding.type === 'kubernetes';
}
