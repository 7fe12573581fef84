import { withKnownFields } from './built-in-fields.ts';
import { customResourceDefinitionCauses, withCustomResourceDefinitionDefaults } from './custom-resource-definition.ts';
import { admitCustomObject } from './custom-object.ts';
import { requireDecodableBundles, requireDecodableData } from './data-validation.ts';
import { requireQuantities } from './quantity-decoding.ts';
import { withDefaults } from './defaults.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import type { Cause } from './status-error.ts';
import { objectCauses } from './validation.ts';

/** An object with its defaults filled in, and everything that is invalid in it. */
export interface Admitted {
  readonly object: JsonObject;
  readonly causes: readonly Cause[];
}

/** The groups whose objects have a `caBundle`. */
const BUNDLED = ['admissionregistration.k8s.io', 'apiextensions.k8s.io'];

/**
 * Drops unknown fields, fills in defaults and validates the object. `before` is the current object of an update,
 * undefined for a create.
 */
export function admitObject(
  kind: ServedKind,
  object: JsonObject,
  before: JsonObject | undefined,
  options: { readonly strict: boolean },
): Admitted {
  if (kind.custom !== undefined) return admitCustomObject(kind, kind.custom, object, options);
  const known = withKnownFields(kind, object, options.strict);
  if (BUNDLED.includes(kind.group)) requireDecodableBundles(kind, known);
  if (kind.plural === 'customresourcedefinitions') {
    const filled = withCustomResourceDefinitionDefaults(known);
    return { object: filled, causes: customResourceDefinitionCauses(filled, before) };
  }
  requireDecodableData(kind, known);
  requireQuantities(kind, known);
  const filled = withDefaults(kind, known, before);
  return { object: filled, causes: objectCauses(kind, filled, before) };
}
