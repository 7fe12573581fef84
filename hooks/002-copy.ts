// Copies labeled ConfigMaps and Secrets into labeled namespaces; copies are updated and deleted with the original.
import { defineHook, kubernetes } from 'hooklet';
import {
  COPIED_FILTER,
  COPY_LABEL,
  ORIGIN_LABEL,
  planCopies,
  TARGET_LABEL,
  type Copied,
  type Step,
} from './lib/copies.ts';
import { chosenNamespaces } from './lib/namespaces.ts';

// The namespaces in which this hook has rights.
const chosen = chosenNamespaces(process.env['COPY_NAMESPACES']);
const namespace = chosen === undefined ? {} : { namespace: { nameSelector: { matchNames: chosen } } };

const originals = {
  ...namespace,
  labelSelector: { matchLabels: { [COPY_LABEL]: 'true' } },
  jqFilter: COPIED_FILTER,
  group: 'copies',
  // A queue of its own, so that a copy that is always refused does not delay other hooks.
  queue: 'copies',
};
const copies = {
  ...namespace,
  labelSelector: { matchExpressions: [{ key: ORIGIN_LABEL, operator: 'Exists' }] },
  jqFilter: COPIED_FILTER,
  group: 'copies',
  queue: 'copies',
} as const;

export default defineHook({
  bindings: {
    configMaps: kubernetes<Copied>({ apiVersion: 'v1', kind: 'ConfigMap', ...originals }),
    secrets: kubernetes<Copied>({ apiVersion: 'v1', kind: 'Secret', ...originals }),
    configMapCopies: kubernetes<Copied>({ apiVersion: 'v1', kind: 'ConfigMap', ...copies }),
    secretCopies: kubernetes<Copied>({ apiVersion: 'v1', kind: 'Secret', ...copies }),
    namespaces: kubernetes<{ name: string; phase: string }>({
      apiVersion: 'v1',
      kind: 'Namespace',
      labelSelector: { matchLabels: { [TARGET_LABEL]: 'true' } },
      jqFilter: '{name: .metadata.name, phase: .status.phase}',
      group: 'copies',
      queue: 'copies',
    }),
  },
  // The plan depends only on the current snapshots, not on what triggered the run.
  run({ snapshots, patch, metric, log }) {
    const found = <T>(items: readonly (T | null)[]): readonly T[] => items.filter((item) => item !== null);
    const labelled = found(snapshots.namespaces).filter(({ phase }) => phase !== 'Terminating');
    const isChosen = (name: string): boolean => chosen?.includes(name) ?? true;
    for (const { name } of labelled.filter((one) => !isChosen(one.name))) {
      log.warn('nothing is copied to the namespace, it is not in COPY_NAMESPACES', { namespace: name });
    }
    const targets = labelled.map(({ name }) => name).filter(isChosen);
    // An original whose filter failed is null here, but it exists, so its copies must stay.
    const isWhole = [...snapshots.configMaps, ...snapshots.secrets, ...snapshots.namespaces].every(
      (item) => item !== null,
    );
    const { steps, shadowed, wanted } = planCopies(
      [...found(snapshots.configMaps), ...found(snapshots.secrets)],
      [...found(snapshots.configMapCopies), ...found(snapshots.secretCopies)],
      targets,
      isWhole,
    );
    if (!isWhole) log.warn('the filter failed on an object, so no copy is deleted');
    for (const step of steps) {
      // An object of that name that is not a copy belongs to somebody else: it is not changed.
      if (step.type === 'create') patch.createIfNotExists(step.object);
      else if (step.type === 'update') patch.createOrUpdate(step.object);
      else patch.deleteInBackground({ apiVersion: 'v1', ...step.copy });
    }
    const count = (type: Step['type']): number => steps.filter((step) => step.type === type).length;
    // A created copy triggers another run, so a copy that stays missing is one whose name another object has.
    metric.set('hooklet_copies', wanted - count('create'));
    metric.set('hooklet_copies_missing', count('create'));
    for (const { kind, namespace, name } of shadowed) {
      log.warn('not copied, another namespace has an original of that name', { kind, namespace, name });
    }
    if (steps.length > 0) {
      log.info('copies to be changed', {
        created: count('create'),
        updated: count('update'),
        deleted: count('delete'),
      });
    }
  },
});
