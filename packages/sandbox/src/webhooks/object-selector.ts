import { at, objectAt, objectsAt, stringMapAt, textAt, textsAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { labelValueProblems, qualifiedNameProblems } from '../object-names.ts';
import { forbiddenValue, invalidValue, requiredValue, type Cause } from '../status-error.ts';

/** Whether a `LabelSelector` object selects these labels. */
export function selectorMatches(selector: JsonObject, labels: JsonObject): boolean {
  return (
    stringMapAt(selector, 'matchLabels').every(([key, value]) => at(labels, key) === value) &&
    objectsAt(selector, 'matchExpressions').every((expression) => holds(expression, labels))
  );
}

function holds(expression: JsonObject, labels: JsonObject): boolean {
  const value = at(labels, textAt(expression, 'key'));
  const values = textsAt(expression, 'values');
  switch (textAt(expression, 'operator')) {
    case 'In':
      return typeof value === 'string' && values.includes(value);
    case 'NotIn':
      return typeof value !== 'string' || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Validates a `LabelSelector` object. */
export function selectorCauses(selector: JsonObject, field: string): readonly Cause[] {
  const labels = stringMapAt(selector, 'matchLabels').flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalidValue(`${field}.matchLabels`, key, problem)),
    ...labelValueProblems(value).map((problem) => invalidValue(`${field}.matchLabels`, value, problem)),
  ]);
  const expressions = objectsAt(selector, 'matchExpressions').flatMap((expression, index) =>
    expressionCauses(objectAt(expression), `${field}.matchExpressions[${index}]`),
  );
  return [...labels, ...expressions];
}

function expressionCauses(expression: JsonObject, field: string): readonly Cause[] {
  const key = textAt(expression, 'key');
  return [
    ...operatorCauses(expression, field),
    ...qualifiedNameProblems(key).map((problem) => invalidValue(`${field}.key`, key, problem)),
  ];
}

function operatorCauses(expression: JsonObject, field: string): readonly Cause[] {
  const operator = textAt(expression, 'operator');
  const values = textsAt(expression, 'values');
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const rule = "must be specified when `operator` is 'In' or 'NotIn'";
      return values.length === 0 ? [requiredValue(`${field}.values`, rule)] : [];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return values.length === 0 ? [] : [forbiddenValue(`${field}.values`, rule)];
    }
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}
