import type { Hook } from '../../hook/binding.ts';
import { isObject } from '../../lib/json-object.ts';
import { jobNamespaces } from '../../rights/job-needs.ts';
import type { Installation } from './identity.ts';
import { merged, type Fields } from './merge.ts';

/** The NetworkPolicy of Jobs, with the namespaces in which the hooks have them; any other object as it is. */
export function withJobsFrom(
  object: Fields,
  hooks: readonly Hook[],
  { name, namespace: home }: Pick<Installation, 'name' | 'namespace'>,
): Fields {
  const { kind, metadata, spec } = object;
  const isOfJobs = kind === 'NetworkPolicy' && isObject(metadata) && metadata['name'] === `${name}-jobs`;
  if (!isOfJobs || !isObject(spec) || !Array.isArray(spec['ingress'])) return object;
  const from = jobNamespaces(hooks, home).map((namespace) => ({
    ...(namespace !== home && {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    }),
    podSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'hooklet' } },
  }));
  const ingress = spec['ingress'].map((rule: unknown) => (isObject(rule) ? merged(rule, { from }) : rule));
  return merged(object, { spec: { ingress } });
}
