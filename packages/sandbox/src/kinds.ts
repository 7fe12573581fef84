import { builtInKinds } from './built-in-kinds.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';

/** The kinds that are served now: the built-in ones and those of CustomResourceDefinitions. */
export class Kinds {
  readonly #builtIn = builtInKinds();
  readonly #custom = new Map<string, readonly ServedKind[]>();
  #byPath = new Map<string, ServedKind>();
  #hasConverters = false;

  constructor() {
    this.#index();
  }

  /** All kinds, in the order of discovery documents. */
  all(): readonly ServedKind[] {
    return [...this.#builtIn, ...[...this.#custom.values()].flat()];
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The kind for an apiVersion and kind. */
  ofObject(apiVersion: string, kind: string): ServedKind | undefined {
    return this.all().find((served) => served.kind === kind && apiVersionOf(served) === apiVersion);
  }

  /** The kind in the version in which the objects of `collection` are stored. */
  ofCollection(collection: string): ServedKind | undefined {
    const versions = this.all().filter((served) => served.collection === collection);
    return versions.find((served) => apiVersionOf(served) === served.storedApiVersion) ?? versions[0];
  }

  /** Whether the versions of any kind are converted by a webhook. */
  get hasConverters(): boolean {
    return this.#hasConverters;
  }

  isBuiltInGroup(group: string): boolean {
    return this.#builtIn.some((served) => served.group === group);
  }

  /** Replaces the kinds that the CustomResourceDefinition `name` serves; an empty list ends their service. */
  serveCustom(name: string, kinds: readonly ServedKind[]): void {
    if (kinds.length === 0) this.#custom.delete(name);
    else this.#custom.set(name, kinds);
    this.#index();
  }

  #index(): void {
    this.#hasConverters = [...this.#custom.values()].some((kinds) =>
      kinds.some(({ custom }) => custom?.converter !== undefined),
    );
    this.#byPath = new Map(this.all().map((served) => [`${served.group}/${served.version}/${served.plural}`, served]));
  }
}
