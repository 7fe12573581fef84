import { builtInKinds } from './built-in-kinds.ts';
import { apiVersionOf, type ServedKind } from './kind.ts';

/** What is served now: the built-in kinds, and those that CustomResourceDefinitions made. */
export class Kinds {
  readonly #builtIn = builtInKinds();
  readonly #custom = new Map<string, readonly ServedKind[]>();
  #byPath = new Map<string, ServedKind>();

  constructor() {
    this.#index();
  }

  /** All kinds in the order in which discovery names them. */
  all(): readonly ServedKind[] {
    return [...this.#builtIn, ...[...this.#custom.values()].flat()];
  }

  find(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The kind that an object with this apiVersion and kind is of. */
  ofObject(apiVersion: string, kind: string): ServedKind | undefined {
    return this.all().find((served) => served.kind === kind && apiVersionOf(served) === apiVersion);
  }

  /** The kind in whose version the objects of `collection` are kept. */
  ofCollection(collection: string): ServedKind | undefined {
    const versions = this.all().filter((served) => served.collection === collection);
    return versions.find((served) => apiVersionOf(served) === served.storedApiVersion) ?? versions[0];
  }

  isBuiltInGroup(group: string): boolean {
    return this.#builtIn.some((served) => served.group === group);
  }

  /** Replaces what the CustomResourceDefinition `name` serves; nothing ends its service. */
  serveCustom(name: string, kinds: readonly ServedKind[]): void {
    if (kinds.length === 0) this.#custom.delete(name);
    else this.#custom.set(name, kinds);
    this.#index();
  }

  #index(): void {
    this.#byPath = new Map(this.all().map((served) => [`${served.group}/${served.version}/${served.plural}`, served]));
  }
}
