/** The spec of v1beta1; the fields that are not named here are those of v1. */
export interface OlderSpec {
  readonly size?: unknown;
  readonly storageSize?: unknown;
  readonly storageClassName?: unknown;
  readonly [field: string]: unknown;
}

export interface NewerSpec {
  readonly replicas?: unknown;
  readonly storage?: { readonly size?: unknown; readonly storageClassName?: unknown };
  readonly [field: string]: unknown;
}

/** Converts a spec of v1beta1 to v1; absent fields stay absent. */
export function convert({ size, storageSize, storageClassName, ...rest }: OlderSpec): NewerSpec {
  const storage = present({ size: storageSize, storageClassName });
  return { ...rest, ...present({ replicas: size }), ...(Object.keys(storage).length > 0 && { storage }) };
}

/** Converts a spec of v1 to v1beta1. */
export function convertBack({ replicas, storage = {}, ...rest }: NewerSpec): OlderSpec {
  const { size: storageSize, storageClassName } = storage;
  return { ...rest, ...present({ size: replicas, storageSize, storageClassName }) };
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
