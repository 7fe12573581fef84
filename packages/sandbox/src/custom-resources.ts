import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from './cluster.ts';
import { CLEANUP_FINALIZER, deleteStored } from './delete.ts';
import { storeOrRemove } from './finalization.ts';
import { at, objectAt, objectsAt, textAt, textsAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import type { CustomVersion, ServedKind, Subresource } from './kind.ts';
import { finalizersOf, isTerminating, timestamp, withMetadata } from './object-meta.ts';
import type { Change, StoredObject } from './storage.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const VERBS_WHILE_TERMINATING = ['delete', 'deletecollection', 'get', 'list', 'watch'];

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Serves the kinds that CustomResourceDefinitions define, and deletes the objects of a definition that is being
 * deleted.
 */
export class CustomResources {
  readonly #cluster: Cluster;
  readonly #endWatches: (collection: string) => void;
  readonly #noted = new Set<string>();

  constructor(cluster: Cluster, endWatches: (collection: string) => void) {
    this.#cluster = cluster;
    this.#endWatches = endWatches;
  }

  /**
   * Must be called for every change; records the definitions that it affects for `settle`, and ends the watches of a
   * definition that was deleted or whose spec was changed.
   */
  note({ type, before, stored }: Change): void {
    if (stored.collection !== DEFINITIONS) {
      if (type === 'delete') this.#noted.add(stored.collection);
      return;
    }
    this.#noted.add(stored.name);
    const changed = before !== undefined && !isDeepStrictEqual(before.object['spec'], stored.object['spec']);
    if (type === 'put' && !changed) return;
    // The open watches were started under the old definition.
    if (type === 'delete') this.#cluster.kinds.serveCustom(stored.name, []);
    this.#endWatches(stored.name);
  }

  /** Brings the recorded definitions up to date. A definition has the same name as the collection of its objects. */
  settle(): void {
    const names = [...this.#noted];
    this.#noted.clear();
    for (const name of names) {
      const definition = this.#cluster.storage.get(DEFINITIONS, '', name);
      if (definition !== undefined) this.#settleDefinition(definition);
    }
  }

  #settleDefinition(definition: StoredObject): void {
    const { storage, kinds } = this.#cluster;
    if (isTerminating(definition.object)) {
      kinds.serveCustom(definition.name, definedKinds(definition.object));
      this.#cleanUp(definition);
      return;
    }
    const status = this.#acceptedStatus(definition);
    if (!isDeepStrictEqual(status, definition.object['status'])) {
      storage.put(DEFINITIONS, { ...definition.object, status });
    }
    const accepted = objectsAt(status, 'conditions').every((condition) => textAt(condition, 'status') === 'True');
    kinds.serveCustom(definition.name, accepted ? definedKinds(definition.object) : []);
  }

  #cleanUp(definition: StoredObject): void {
    const { storage } = this.#cluster;
    for (const stored of storage.list(definition.name)) {
      deleteStored(this.#cluster, stored, { propagation: 'Background', gracePeriodSeconds: 0, dryRun: false });
    }
    if (storage.list(definition.name).length > 0) return;
    const finalizers = finalizersOf(definition.object).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    if (finalizers.length === finalizersOf(definition.object).length) return;
    storeOrRemove(storage, definition, withMetadata(definition.object, { finalizers }));
  }

  #acceptedStatus(definition: StoredObject): JsonObject {
    const { object } = definition;
    const conflict = this.#conflictingName(definition);
    const since = timestamp(this.#cluster.now());
    const names =
      conflict === undefined
        ? condition('NamesAccepted', true, since, ['NoConflicts', 'no conflicts found'])
        : condition('NamesAccepted', false, since, ['ListKindConflict', `"${conflict}List" is already in use`]);
    const established =
      conflict === undefined
        ? condition('Established', true, since, ['InitialNamesAccepted', 'the initial names have been accepted'])
        : condition('Established', false, since, ['NotAccepted', 'not all names are accepted']);
    const old = objectsAt(object, 'status', 'conditions');
    return {
      conditions: [names, established].map((next) => old.find((previous) => isSameCondition(previous, next)) ?? next),
      acceptedNames:
        conflict === undefined
          ? objectAt(object, 'spec', 'names')
          : { plural: textAt(object, 'spec', 'names', 'plural'), kind: '' },
      storedVersions: textsAt(object, 'status', 'storedVersions'),
    };
  }

  #conflictingName({ name, object }: StoredObject): string | undefined {
    const kind = textAt(object, 'spec', 'names', 'kind');
    const other = this.#cluster.storage
      .list(DEFINITIONS)
      .find(
        (definition) =>
          definition.name !== name &&
          textAt(definition.object, 'spec', 'group') === textAt(object, 'spec', 'group') &&
          textAt(definition.object, 'status', 'acceptedNames', 'kind') === kind,
      );
    return other === undefined ? undefined : kind;
  }
}

function condition(type: string, holds: boolean, since: string, why: readonly [string, string]): JsonObject {
  return { type, status: holds ? 'True' : 'False', lastTransitionTime: since, reason: why[0], message: why[1] };
}

function isSameCondition(previous: JsonObject, next: JsonObject): boolean {
  return previous['type'] === next['type'] && previous['status'] === next['status'];
}

/** The kinds that a CustomResourceDefinition serves, one for each served version. */
export function definedKinds(definition: JsonObject): readonly ServedKind[] {
  const spec = objectAt(definition, 'spec');
  const versions = objectsAt(spec, 'versions');
  const stored = versions.find((version) => at(version, 'storage') === true) ?? {};
  const converts = textAt(spec, 'conversion', 'strategy') === 'Webhook';
  const converter = converts ? { converter: objectAt(spec, 'conversion', 'webhook') } : {};
  const storedVersion = { stored: { ...customVersion(stored), ...converter } };
  return versions
    .filter((version) => at(version, 'served') === true)
    .map((version) => ({
      group: textAt(spec, 'group'),
      version: textAt(version, 'name'),
      plural: textAt(spec, 'names', 'plural'),
      singular: textAt(spec, 'names', 'singular'),
      kind: textAt(spec, 'names', 'kind'),
      listKind: textAt(spec, 'names', 'listKind'),
      namespaced: textAt(spec, 'scope') === 'Namespaced',
      // While the definition is terminating, nothing can be created or changed.
      verbs: isTerminating(definition) ? VERBS_WHILE_TERMINATING : VERBS,
      shortNames: textsAt(spec, 'names', 'shortNames'),
      categories: textsAt(spec, 'names', 'categories'),
      subresources: definedSubresources(version, textAt(spec, 'names', 'kind')),
      collection: textAt(definition, 'metadata', 'name'),
      storedApiVersion: `${textAt(spec, 'group')}/${textAt(stored, 'name')}`,
      custom: { ...customVersion(version), ...converter, ...(version === stored ? {} : storedVersion) },
    }));
}

const READ_WRITE = ['get', 'patch', 'update'];

function definedSubresources(version: JsonObject, kind: string): readonly Subresource[] {
  const defined = objectAt(version, 'subresources');
  const groupVersion = { group: 'autoscaling', version: 'v1' };
  return [
    ...(at(defined, 'status') === undefined ? [] : [{ name: 'status', verbs: READ_WRITE, kind }]),
    ...(at(defined, 'scale') === undefined ? [] : [{ name: 'scale', verbs: READ_WRITE, kind: 'Scale', groupVersion }]),
  ];
}

function customVersion(version: JsonObject): CustomVersion {
  const scale = objectAt(version, 'subresources', 'scale');
  return {
    schema: objectAt(version, 'schema', 'openAPIV3Schema'),
    selectableFields: objectsAt(version, 'selectableFields').map((field) =>
      textAt(field, 'jsonPath').replace(/^\./, ''),
    ),
    printerColumns: objectsAt(version, 'additionalPrinterColumns'),
    ...(Object.keys(scale).length === 0
      ? {}
      : {
          scale: {
            specPath: textAt(scale, 'specReplicasPath'),
            statusPath: textAt(scale, 'statusReplicasPath'),
            selectorPath: textAt(scale, 'labelSelectorPath'),
          },
        }),
  };
}
