import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseObjects } from '../run/object-input.ts';
import { shippedFolder } from '../program/shipped-folder.ts';
import { merged, type Fields } from './merge.ts';
import { isObject } from '../../lib/json-object.ts';

/**
 * The objects of `deploy/base` with components of `deploy/components` on top, as `kubectl kustomize` makes them: the
 * files there are the only place where the Deployment is written. Understood is what those kustomizations use: labels,
 * resources, and patches of objects by kind and name.
 */

/** A folder of `deploy/components`. */
export type Component =
  | 'events'
  | 'http-triggers'
  | 'jobs'
  | 'leader-election'
  | 'run-port'
  | 'schedule-state'
  | 'shards'
  | 'webhook-certificates'
  | 'webhooks'
  | 'workers';

/** The objects of the base and of components, in the order of the files. */
export function baseObjects(components: readonly Component[], folder = shippedFolder('deploy')): readonly Fields[] {
  const names = ['base', ...components.map((name) => join('components', name))];
  const kustomizations = names.map((name) => readKustomization(join(folder, name)));
  const labels = kustomizations[0]?.labels ?? {};
  const patches = kustomizations.flatMap((one) => one.patches);
  return kustomizations.flatMap(({ resources }, index) =>
    resources.map((object) => {
      const patched = patches.filter((patch) => nameOf(patch) === nameOf(object)).reduce(merged, object);
      // Pods of a component have labels of their own: they are not those of hooklet.
      return index === 0 ? labelled(patched, labels) : merged(patched, { metadata: { labels } });
    }),
  );
}

interface Kustomization {
  readonly labels: Fields;
  readonly resources: readonly Fields[];
  readonly patches: readonly Fields[];
}

function readKustomization(folder: string): Kustomization {
  const [kustomization = {}] = readFields(join(folder, 'kustomization.yaml'));
  const { resources, patches, labels } = kustomization;
  return {
    labels: fieldsIn(labels)
      .map(({ pairs }) => (isObject(pairs) ? pairs : {}))
      .reduce<Fields>(merged, {}),
    resources: (Array.isArray(resources) ? resources : []).flatMap((file) => readFields(join(folder, String(file)))),
    patches: fieldsIn(patches).flatMap(({ path }) => readFields(join(folder, String(path)))),
  };
}

function readFields(path: string): readonly Fields[] {
  return fieldsIn(parseObjects(readFileSync(path, 'utf8'), path));
}

function fieldsIn(values: unknown): readonly Fields[] {
  return Array.isArray(values) ? values.filter(isObject) : [];
}

function nameOf({ kind, metadata }: Fields): string {
  return `${String(kind)}/${isObject(metadata) ? String(metadata['name']) : ''}`;
}

/** With labels on the object and, of a workload, on its Pods. */
function labelled(object: Fields, labels: Fields): Fields {
  const spec = object['spec'];
  const template = isObject(spec) && isObject(spec['template']) ? { spec: { template: { metadata: { labels } } } } : {};
  return merged(merged(object, { metadata: { labels } }), template);
}
