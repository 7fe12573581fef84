import { isObject } from '../lib/json-object.ts';

/** Whether labels match a LabelSelector as a manifest has it; a selector without requirements matches all. */
export function matchesLabels(selector: unknown, given: unknown): boolean {
  if (!isObject(selector)) return false;
  const labels = isObject(given) ? given : {};
  const { matchLabels, matchExpressions } = selector;
  const wanted = isObject(matchLabels) ? Object.entries(matchLabels) : [];
  const expressions: readonly unknown[] = Array.isArray(matchExpressions) ? matchExpressions : [];
  return wanted.every(([key, value]) => labels[key] === value) && expressions.every((one) => matches(one, labels));
}

function matches(expression: unknown, labels: Readonly<Record<string, unknown>>): boolean {
  if (!isObject(expression)) return false;
  const { key, operator, values } = expression;
  const value = labels[String(key)];
  const isListed = Array.isArray(values) && values.includes(value);
  switch (operator) {
    case 'In':
      return isListed;
    case 'NotIn':
      return !isListed;
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
