import type { Hook } from '../../hook/binding.ts';
import { isObject } from '../../lib/json-object.ts';
import { jobNamespaces } from '../../rights/job-needs.ts';
import { workerPools } from '../../rights/worker-needs.ts';
import type { Installation } from './identity.ts';
import { merged, type Fields } from './merge.ts';

/** The NetworkPolicy of the port of runs, with the namespaces of Jobs and workers; any other object as it is. */
export function withJobsFrom(
  object: Fields,
  hooks: readonly Hook[],
  { name, namespace: home }: Pick<Installation, 'name' | 'namespace'>,
): Fields {
  const { kind, metadata, spec } = object;
  const isOfJobs = kind === 'NetworkPolicy' && isObject(metadata) && metadata['name'] === `${name}-jobs`;
  if (!isOfJobs || !isObject(spec) || !Array.isArray(spec['ingress'])) return object;
  // Never none: that would be everybody.
  const ofWorkers = workerPools(hooks).map(() => home);
  const from = [...new Set([...jobNamespaces(hooks, home), ...ofWorkers])].toSorted().map((namespace) => ({
    ...(namespace !== home && {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    }),
    podSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'hooklet' } },
  }));
  const ingress = spec['ingress'].map((rule: unknown) => (isObject(rule) ? merged(rule, { from }) : rule));
  return merged(object, { spec: { ingress } });
}
