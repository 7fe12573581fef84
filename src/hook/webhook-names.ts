import { HookConfigError, type Issue } from '../errors.ts';
import type { AdmissionBinding } from './ask-binding.ts';
import type { Binding, Hook } from './binding.ts';

/**
 * The path of a name in a URL, by the rules of shell-operator: a capital letter gets a `-` before it and becomes small,
 * what is no letter, digit, `-` or `/` becomes `-`, and several `-` become one.
 */
export function safePath(name: string): string {
  return name
    .replaceAll(/([A-Z])/g, '-$1')
    .toLowerCase()
    .replaceAll(/[^a-z0-9\-/]/g, '-')
    .replaceAll(/-+/g, '-');
}

/** Where the API server calls an admission webhook. */
export function webhookPath(name: string): string {
  return `/hooks/${safePath(name)}`;
}

/** The admission webhooks of a hook. */
export function admissionBindings({ bindings }: Pick<Hook, 'bindings'>): readonly AdmissionBinding[] {
  return bindings.filter(isAdmission);
}

function isAdmission(binding: Binding): binding is AdmissionBinding {
  return binding.type === 'kubernetesValidating' || binding.type === 'kubernetesMutating';
}

/**
 * Separates the hooks whose webhooks have names, or paths, that another hook has already: `earlier` and, of two in
 * `hooks`, the first keep theirs. The API server knows a webhook by its name alone, so both cannot be called.
 */
export function withoutNameConflicts(
  hooks: readonly Hook[],
  earlier: readonly Hook[] = [],
): { readonly hooks: readonly Hook[]; readonly broken: readonly HookConfigError[] } {
  const taken = new Map<string, Taken>();
  for (const hook of earlier) take(taken, hook);
  const kept: Hook[] = [];
  const broken: HookConfigError[] = [];
  for (const hook of hooks) {
    const issues = conflictsOf(hook, taken);
    if (issues.length > 0) {
      broken.push(new HookConfigError(hook.name, issues, { reason: 'another hook has its webhook name' }));
      continue;
    }
    take(taken, hook);
    kept.push(hook);
  }
  return { hooks: kept, broken };
}

interface Taken {
  readonly hook: string;
  readonly name: string;
}

function take(taken: Map<string, Taken>, hook: Hook): void {
  for (const { name } of admissionBindings(hook)) taken.set(webhookPath(name), { hook: hook.name, name });
}

function conflictsOf(hook: Hook, taken: ReadonlyMap<string, Taken>): readonly Issue[] {
  const positions = { kubernetesValidating: 0, kubernetesMutating: 0 };
  return admissionBindings(hook).flatMap(({ type, name }) => {
    const path = `${type}[${positions[type]++}].name`;
    const other = taken.get(webhookPath(name));
    if (other === undefined || other.hook === hook.name) return [];
    const clash = other.name === name ? 'has a webhook of this name too' : `has ${other.name}, which has the same path`;
    return [{ path, message: `${name} is a webhook of ${hook.name}, but the hook ${other.hook} ${clash}; rename one` }];
  });
}
