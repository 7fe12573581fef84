import type { LabelSelector } from './resources.ts';

/** Whether labels match a selector; no selector matches nothing. */
export function selects(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | null | undefined,
): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const found = new Map(Object.entries(labels ?? {}));
  return (
    Object.entries(matchLabels).every(([key, value]) => found.get(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = found.get(key);
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
      }
    })
  );
}
