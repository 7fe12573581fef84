import { arrayAt, at } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { amountOf } from './quantity.ts';
import { invalidValue, requiredValue, type Cause } from './status-error.ts';

/** Validates a claim: it must say how its volume is to be mounted, and how large it is to be. */
export function claimCauses(claim: JsonObject): readonly Cause[] {
  const modes = arrayAt(claim, 'spec', 'accessModes');
  const unmounted = modes.length > 0 ? [] : [requiredValue('spec.accessModes', 'at least 1 access mode is required')];
  return [...unmounted, ...sizeCauses(claim)];
}

function sizeCauses(claim: JsonObject): readonly Cause[] {
  const field = 'spec.resources[storage]';
  const size = at(claim, 'spec', 'resources', 'requests', 'storage');
  if (size === undefined) return [requiredValue(field)];
  return amountOf(size) > 0n ? [] : [invalidValue(field, size, 'must be greater than zero')];
}
