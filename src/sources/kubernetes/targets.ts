import type { KubernetesBinding } from '../../hook/binding.ts';
import type { FieldRequirement, LabelRequirement, LabelSelector } from '../../hook/selector.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { WatchTarget } from '../../kube/watch/list-watch.ts';

/**
 * The targets that a binding watches of `kind` in one namespace, or in all when `namespace` is undefined: one for each
 * name that the binding selects, else a single one.
 */
export function watchTargets(
  binding: KubernetesBinding,
  kind: ResourceKind,
  namespace: string | undefined,
): readonly WatchTarget[] {
  const { names = [], fieldSelector = [] } = binding;
  const labelSelector = labelSelectorText(binding.labelSelector);
  const base = {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === '' ? {} : { labelSelector }),
  };
  const requirements: readonly (readonly FieldRequirement[])[] =
    names.length === 0
      ? [fieldSelector]
      : [...new Set(names)].map((name) => [...fieldSelector, { field: 'metadata.name', operator: '=', value: name }]);
  return requirements.map((fields) =>
    fields.length === 0 ? base : { ...base, fieldSelector: fieldSelectorText(fields) },
  );
}

/** A label selector as the API's `labelSelector` parameter; empty when it selects everything. */
export function labelSelectorText(selector: LabelSelector | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  return [...labels, ...matchExpressions.map(requirementText)].join(',');
}

/** Field requirements as the API's `fieldSelector` parameter. */
export function fieldSelectorText(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, operator, value }) => `${field}${operator}${value.replaceAll(/[\\,=]/g, String.raw`\$&`)}`)
    .join(',');
}

function requirementText({ key, operator, values = [] }: LabelRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(',')})`;
    case 'NotIn':
      return `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}
