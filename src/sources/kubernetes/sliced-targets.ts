import type { KubernetesBinding } from '../../hook/binding.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { sliceOfText } from '../../lib/slice-hash.ts';
import type { ObservedTarget } from './observations.ts';
import type { OwnSlices } from './own-slices.ts';
import { watchTargets } from './targets.ts';

export interface SlicedTargets {
  readonly binding: KubernetesBinding;
  readonly kind: ResourceKind;
  /** `undefined` as an element stands for all of them. */
  readonly namespaces: readonly (string | undefined)[];
  readonly field: 'namespace' | 'uid';
}

/**
 * What a divided binding watches of its kind: each namespace whole that is in one of the slices, else the slices of all
 * objects.
 */
export function slicedTargets(
  what: SlicedTargets,
  slices: Pick<OwnSlices, 'owned' | 'hash'>,
): readonly ObservedTarget[] {
  const { binding, kind, namespaces, field } = what;
  return namespaces.flatMap((namespace) => {
    const targets = watchTargets(binding, kind, namespace);
    if (namespace !== undefined && field === 'namespace') {
      const own = slices.owned.find(({ index }) => index === sliceOfText(slices.hash, namespace));
      return own === undefined ? [] : targets.map((target) => ({ ...target, own }));
    }
    return slices.owned.flatMap((own) =>
      targets.map((target) => ({ ...target, slice: { field, index: own.index }, own })),
    );
  });
}
