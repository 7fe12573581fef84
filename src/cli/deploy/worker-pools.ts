import { isObject } from '../../lib/json-object.ts';
import { DEFAULT_POOL } from '../../hook/executor-rule.ts';
import { merged, type Fields } from './merge.ts';

/** The name of the Deployment of workers in `deploy/`, which is that of the pool `default`. */
const WORKERS = 'hooklet-workers';
const POOL_LABEL = 'hooklet.dev/pool';

/** The objects of `deploy/` with a Deployment of workers for each of these pools, in place of the one for `default`. */
export function withPools(objects: readonly Fields[], pools: readonly string[]): readonly Fields[] {
  return objects.flatMap((object) => (isWorkers(object) ? pools.map((pool) => ofPool(object, pool)) : [object]));
}

function isWorkers({ kind, metadata }: Fields): boolean {
  return kind === 'Deployment' && isObject(metadata) && metadata['name'] === WORKERS;
}

function ofPool(object: Fields, pool: string): Fields {
  if (pool === DEFAULT_POOL) return object;
  const labels = { [POOL_LABEL]: pool };
  const named = merged(object, {
    metadata: { name: `${WORKERS}-${pool}` },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
  });
  return withArguments(named, ['--pool', pool]);
}

/** With further arguments for its containers. */
function withArguments(object: Fields, more: readonly string[]): Fields {
  const pod = ['spec', 'template', 'spec'].reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), object);
  const containers: unknown = isObject(pod) ? pod['containers'] : undefined;
  if (!Array.isArray(containers)) return object;
  const longer = containers.filter(isObject).map(({ args, ...rest }) => ({
    ...rest,
    args: [...(Array.isArray(args) ? args : []), ...more],
  }));
  return merged(object, { spec: { template: { spec: { containers: longer } } } });
}
