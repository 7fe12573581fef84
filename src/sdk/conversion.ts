import type { KubernetesObject, ObjectLike } from './kubernetes-object.ts';

/** Two versions of a custom resource, and the functions that convert one object between them. */
export interface ConversionOptions<Old, New> {
  /** Such as `crontabs.stable.example.com`. */
  readonly crdName: string;
  /** Such as `v1alpha1`; objects of it are `Old`. */
  readonly from: string;
  /** Such as `v1`; objects of it are `New`. */
  readonly to: string;
  /**
   * Returns the object in the version `to`, with the same metadata but for labels and annotations; `apiVersion` is set by
   * hooklet. What it throws is shown to the user whose request needs the object.
   */
  readonly convert: (object: Old) => New | Promise<New>;
  /** The way back, from `to` to `from`; an API server needs it for all who use the other version. */
  readonly convertBack?: (object: New) => Old | Promise<Old>;
}

export interface ConversionDeclaration {
  readonly type: 'conversion';
  readonly crdName: string;
  readonly rules: readonly ConversionFunction[];
}

/** One direction. */
export interface ConversionFunction {
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly convert: (object: unknown) => unknown;
}

/**
 * Converts the objects of a custom resource between two versions; hooklet finds the chain between versions further
 * apart. `Old` and `New` are the types of the objects. The `run` function of the hook is not called for it.
 */
export function conversion<Old extends ObjectLike = KubernetesObject, New extends ObjectLike = KubernetesObject>(
  options: ConversionOptions<Old, New>,
): ConversionDeclaration {
  const { crdName, from, to, convert, convertBack } = options;
  // The casts are safe because hooklet asks each function for objects of its version alone.
  const forth = { fromVersion: from, toVersion: to, convert: async (object: unknown) => convert(object as Old) };
  const back = convertBack && {
    fromVersion: to,
    toVersion: from,
    convert: async (object: unknown) => convertBack(object as New),
  };
  return { type: 'conversion', crdName, rules: back === undefined ? [forth] : [forth, back] };
}

type Fields = Readonly<Record<string, unknown>>;

/** Answers the contexts of a run if they are a conversion: with the text of the response; undefined for any other run. */
export function answerConversion(bindings: ConvertingBindings, wire: unknown): Promise<string> | undefined {
  const [context] = Array.isArray(wire) ? wire : [];
  const fields = fieldsOf(context);
  return fields['type'] === 'Conversion' ? convertedText(bindings, fields) : undefined;
}

type ConvertingBindings = Readonly<Record<string, { readonly type: string } | ConversionDeclaration>>;

async function convertedText(bindings: ConvertingBindings, context: Fields): Promise<string> {
  const { binding, fromVersion, toVersion, review } = context;
  const declaration = bindings[String(binding)];
  const rules = declaration !== undefined && 'rules' in declaration ? declaration.rules : [];
  const rule = rules.find((one) => one.fromVersion === fromVersion && one.toVersion === toVersion);
  const { objects } = fieldsOf(fieldsOf(review)['request']);
  if (rule === undefined || !Array.isArray(objects)) {
    return failed(`the hook has no function from ${String(fromVersion)} to ${String(toVersion)}`);
  }
  const convertedObjects: unknown[] = [];
  for (const object of objects) {
    try {
      convertedObjects.push(inVersion(await rule.convert(object), fieldsOf(object), rule.toVersion));
    } catch (error) {
      return failed(`${titleOf(fieldsOf(object))}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return JSON.stringify({ convertedObjects });
}

function inVersion(converted: unknown, { apiVersion }: Fields, toVersion: string): Fields {
  if (typeof converted !== 'object' || converted === null) throw new TypeError('the function returned no object');
  const [group] = String(apiVersion).split('/', 1);
  return { ...converted, apiVersion: toVersion.includes('/') ? toVersion : `${group}/${toVersion}` };
}

function titleOf({ kind, metadata }: Fields): string {
  const { namespace, name } = fieldsOf(metadata);
  const place = typeof namespace === 'string' ? `${namespace}/` : '';
  return `${String(kind)} ${place}${String(name)}`;
}

function failed(failedMessage: string): string {
  return JSON.stringify({ failedMessage });
}

function fieldsOf(value: unknown): Fields {
  // Not copied: an object may be large.
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
