import type { FieldRequirement, LabelRequirement, LabelSelector } from './selector.ts';
import { isObject } from '../lib/json-object.ts';

/** Whether labels match a selector, as the API server decides it. */
export function matchesLabels(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, unknown>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value) &&
    matchExpressions.every((requirement) => matchesLabel(requirement, labels))
  );
}

function matchesLabel(
  { key, operator, values = [] }: LabelRequirement,
  labels: Readonly<Record<string, unknown>>,
): boolean {
  const isPresent = Object.hasOwn(labels, key);
  const isOneOf = isPresent && values.some((value) => value === labels[key]);
  switch (operator) {
    case 'Exists':
      return isPresent;
    case 'DoesNotExist':
      return !isPresent;
    case 'In':
      return isOneOf;
    case 'NotIn':
      return !isOneOf;
  }
}

/** Whether a field of an object is as a requirement wants it; a missing field is empty, as in the API server. */
export function matchesField({ field, operator, value }: FieldRequirement, object: unknown): boolean {
  let found: unknown = object;
  for (const part of field.split('.')) {
    found = isObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  const text = typeof found === 'string' ? found : (JSON.stringify(found) ?? '');
  const isEqual = text === value;
  return operator === '=' ? isEqual : !isEqual;
}
