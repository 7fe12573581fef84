import type { Binding, Hook } from '../../hook/binding.ts';
import { isSecretKind } from './walk.ts';

/** The names of the bindings of a hook, and of entries of `watches`, whose objects are Secrets. */
export function secretBindings({ bindings }: Pick<Hook, 'bindings'>): readonly string[] {
  return bindings.flatMap(namesOf);
}

function namesOf(binding: Binding): readonly string[] {
  if (binding.type !== 'kubernetes' && binding.type !== 'reconcile') return [];
  const own = isSecretKind(binding.kind) ? [binding.name] : [];
  if (binding.type === 'kubernetes') return own;
  return [...own, ...binding.watches.filter(({ kind }) => isSecretKind(kind)).map(({ name }) => name)];
}
