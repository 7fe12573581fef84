import { at, objectAt, textAt, withAt, without } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { amountOf } from './quantity.ts';
import { meansSame } from './same-meaning.ts';
import { forbiddenValue, type Cause } from './status-error.ts';

/** Returns the causes for which an update of a claim is refused: a bound one may grow, and little else may change. */
export function fixedClaimCauses(claim: JsonObject, before: JsonObject): readonly Cause[] {
  const fixed = (one: JsonObject): JsonObject => without(objectAt(one, 'spec'), ...freeFields(before));
  const isSame = meansSame('core/v1.PersistentVolumeClaimSpec', sizeless(fixed(claim), before), fixed(before));
  return [...(isSame ? [] : [forbiddenValue('spec', RULE)]), ...shrinkCauses(claim, before)];
}

const RULE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const SIZE = ['resources', 'requests', 'storage'];

function freeFields(before: JsonObject): readonly string[] {
  return [
    ...(textAt(before, 'spec', 'volumeName') === '' ? ['volumeName'] : []),
    // A default class is given to a claim later where there was none when it was made.
    ...(at(before, 'spec', 'storageClassName') === undefined ? ['storageClassName'] : []),
    ...(isBound(before) ? ['volumeAttributesClassName'] : []),
  ];
}

/** The spec with the size that the claim had, if another is free. */
function sizeless(spec: JsonObject, before: JsonObject): JsonObject {
  const size = at(before, 'spec', ...SIZE);
  const isFree = isBound(before) && size !== undefined && (at(spec, 'resources', 'requests') ?? null) !== null;
  return isFree ? withAt(spec, SIZE, size) : spec;
}

function isBound(claim: JsonObject): boolean {
  return textAt(claim, 'status', 'phase') === 'Bound';
}

/** What was asked for and not yet given may be taken back. */
function shrinkCauses(claim: JsonObject, before: JsonObject): readonly Cause[] {
  const size = amountOf(at(claim, 'spec', ...SIZE));
  const shrinks = size < amountOf(at(before, 'spec', ...SIZE));
  if (!shrinks || size > amountOf(at(before, 'status', 'capacity', 'storage'))) return [];
  return [forbiddenValue('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}
