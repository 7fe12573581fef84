import type { NewObject } from 'hooklet';

/** Objects with this label are copied. */
export const COPY_LABEL = 'hooklet.dev/copy';
/** Namespaces with this label get the copies. */
export const TARGET_LABEL = 'hooklet.dev/copies';
/** On each copy: the namespace of its original. */
export const ORIGIN_LABEL = 'hooklet.dev/copied-from';

/** The part of a ConfigMap or Secret that the hook needs, original or copy. */
export interface Copied {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
  /** Only on copies. */
  readonly origin: string | null;
  readonly type: string | null;
  readonly data: Readonly<Record<string, string>> | null;
  readonly binaryData: Readonly<Record<string, string>> | null;
}

/** The jq filter that returns a `Copied` for an object. */
export const COPIED_FILTER = `{
  kind, namespace: .metadata.namespace, name: .metadata.name, origin: (.metadata.labels["${ORIGIN_LABEL}"]),
  type, data, binaryData
}`;

export type Step =
  | { readonly type: 'create'; readonly object: NewObject }
  | { readonly type: 'update'; readonly object: NewObject }
  | { readonly type: 'delete'; readonly copy: Copied };

/** The changes that bring the copies into the desired state. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Originals that some namespace cannot get, because another original of the same name is copied there. */
  readonly shadowed: readonly Copied[];
  /** The desired number of copies. */
  readonly wanted: number;
}

/**
 * Plans the changes after which every target namespace has exactly the desired copies. If not all originals and
 * namespaces are known, `isWhole` is false and nothing is deleted.
 */
export function planCopies(
  originals: readonly Copied[],
  copies: readonly Copied[],
  targets: readonly string[],
  isWhole = true,
): Plan {
  const existing = new Map(copies.map((copy) => [keyOf(copy), copy]));
  const { wanted, shadowed } = wantedCopies(originals, targets);
  const steps: Step[] = [];
  for (const [key, copy] of existing) {
    // The type of a Secret cannot be changed: such a copy is deleted and created again.
    if (isWhole && wanted.get(key)?.type !== copy.type) steps.push({ type: 'delete', copy });
  }
  for (const [key, copy] of wanted) {
    const present = existing.get(key);
    if (present?.type !== copy.type) steps.push({ type: 'create', object: objectOf(copy) });
    else if (!isSame(present, copy)) steps.push({ type: 'update', object: objectOf(copy) });
  }
  return { steps, shadowed, wanted: wanted.size };
}

interface Wanted {
  readonly wanted: ReadonlyMap<string, Copied>;
  readonly shadowed: readonly Copied[];
}

function wantedCopies(originals: readonly Copied[], targets: readonly string[]): Wanted {
  const wanted = new Map<string, Copied>();
  const shadowed = new Set<Copied>();
  for (const original of originals) {
    // Somebody labeled a copy: its copies would conflict with those of the real original.
    if (original.origin !== null) continue;
    for (const namespace of targets) {
      if (namespace === original.namespace) continue;
      const copy = { ...original, namespace, origin: original.namespace };
      const key = keyOf(copy);
      // Of two originals of the same name the first is copied.
      if (wanted.has(key)) shadowed.add(original);
      else wanted.set(key, copy);
    }
  }
  return { wanted, shadowed: [...shadowed] };
}

function keyOf({ kind, namespace, name }: Copied): string {
  return `${kind}/${namespace}/${name}`;
}

function isSame(present: Copied, wanted: Copied): boolean {
  const contentOf = ({ origin, data, binaryData }: Copied): string =>
    JSON.stringify([origin, sorted(data), sorted(binaryData)]);
  return contentOf(present) === contentOf(wanted);
}

function sorted(data: Copied['data']): readonly (readonly [string, string])[] {
  return Object.entries(data ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function objectOf({ kind, namespace, name, origin, type, data, binaryData }: Copied): NewObject {
  const object = {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace, labels: { [ORIGIN_LABEL]: origin ?? '' } },
    ...(type === null ? {} : { type }),
    ...(data === null ? {} : { data }),
    ...(binaryData === null ? {} : { binaryData }),
  };
  return object;
}
