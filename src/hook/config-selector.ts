import { shown } from '../lib/shown.ts';
import { isObject } from '../lib/json-object.ts';
import type { NamespaceSelector } from './binding.ts';
import {
  inside,
  present,
  readFields,
  readList,
  readName,
  readText,
  readWord,
  report,
  reportType,
  reportValue,
  type Place,
  type Read,
} from './config-reader.ts';
import type { FieldRequirement, LabelRequirement, LabelSelector } from './selector.ts';

const LABEL_OPERATORS = { In: 'In', NotIn: 'NotIn', Exists: 'Exists', DoesNotExist: 'DoesNotExist' } as const;
const FIELD_OPERATORS = { '=': '=', '==': '=', Equals: '=', '!=': '!=', NotEquals: '!=' } as const;
export const LABEL_KEY =
  /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
export const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const readLabelKey: Read<string> = (value, place) =>
  typeof value === 'string' && LABEL_KEY.test(value)
    ? value
    : reportValue(place, value, 'a label key such as app or app.kubernetes.io/name', invalidLabel('key', value));

const readLabelValue: Read<string> = (value, place) =>
  typeof value === 'string' && LABEL_VALUE.test(value) ? value : reportLabelValue(place, value);

export const LABEL_VALUE_TEXT = 'a string that is a label value: at most 63 letters, digits, -, _ and .';

function reportLabelValue(place: Place, value: unknown): undefined {
  if (typeof value !== 'string') return reportType(place, value, { type: 'string', expected: LABEL_VALUE_TEXT });
  return reportValue(place, value, LABEL_VALUE_TEXT, invalidLabel('values', value));
}

function invalidLabel(field: 'key' | 'values', value: unknown): string {
  return `labelSelector is invalid: ${field}: Invalid value: ${shown(value)}`;
}

const readMatchLabels: Read<Readonly<Record<string, string>>> = (value, place) => {
  if (!isObject(value)) return reportType(place, value, { type: 'object', expected: 'a mapping' });
  const labels = Object.entries(value).map(([key, label]) => {
    const entry = inside(place, key);
    return [readLabelKey(key, entry), readLabelValue(label, entry)];
  });
  return Object.fromEntries(labels);
};

const readRequirementFields = readFields(
  { key: readLabelKey, operator: readWord(LABEL_OPERATORS), values: readList(readLabelValue) },
  { required: { key: 'a label key', operator: `one of ${Object.keys(LABEL_OPERATORS).join(', ')}` } },
);

const readLabelRequirement: Read<LabelRequirement> = (value, place) => {
  const { key, operator, values } = readRequirementFields(value, place);
  if (key === undefined || operator === undefined) return undefined;
  checkValues(operator, values, inside(place, 'values'));
  return { key, operator, ...present({ values }) };
};

function checkValues(operator: LabelRequirement['operator'], values: readonly string[] = [], place: Place): void {
  const needsValues = operator === 'In' || operator === 'NotIn';
  const phrase = invalidLabel('values', values);
  if (needsValues && values.length === 0) report(place, `operator ${operator} needs at least one value`, phrase);
  if (!needsValues && values.length > 0) reportValue(place, values, `none with operator ${operator}`, phrase);
}

const readSelectorFields = readFields(
  { matchLabels: readMatchLabels, matchExpressions: readList(readLabelRequirement) },
  { isNonEmpty: true },
);

/** A Kubernetes LabelSelector, checked as the API server checks it. */
export const readLabelSelector: Read<LabelSelector> = (value, place) => present(readSelectorFields(value, place));

const readFieldRequirementFields = readFields(
  { field: readName, operator: readWord(FIELD_OPERATORS), value: readText },
  { required: { field: 'a field such as metadata.name', operator: '=, == or !=', value: 'a string' } },
);

const readFieldRequirement: Read<FieldRequirement> = (value, place) => {
  const { field, operator, value: wanted } = readFieldRequirementFields(value, place);
  return field === undefined || operator === undefined || wanted === undefined
    ? undefined
    : { field, operator, value: wanted };
};

const readFieldSelectorFields = readFields(
  { matchExpressions: readList(readFieldRequirement) },
  { required: { matchExpressions: 'a list of {field, operator, value}' } },
);

/** The requirements of a `fieldSelector`, operators in their short form. */
export const readFieldSelector: Read<readonly FieldRequirement[]> = (value, place) =>
  readFieldSelectorFields(value, place).matchExpressions;

/** Names without duplicates; `undefined` when there are none, or an empty one, which both mean all. */
export const readMatchNames: Read<readonly string[]> = (value, place) => {
  const names = readList(readOptionalName)(value, place) ?? [];
  return names.length === 0 || names.includes('') ? undefined : [...new Set(names)];
};

const readOptionalName: Read<string> = (value, place) => (value === '' ? value : readName(value, place));

const readNameSelectorFields = readFields(
  { matchNames: readMatchNames },
  { required: { matchNames: 'a list of names' } },
);

/** The names of a `nameSelector`; `undefined` means all objects. */
export const readNameSelector: Read<readonly string[]> = (value, place) =>
  readNameSelectorFields(value, place).matchNames;

const readNamespaceFields = readFields(
  { nameSelector: readNameSelector, labelSelector: readLabelSelector },
  { isNonEmpty: true },
);

/** A `namespace` block; `undefined` when it names no namespace, which means all namespaces. */
export const readNamespace: Read<NamespaceSelector> = (value, place) => {
  const { nameSelector: names, labelSelector } = readNamespaceFields(value, place);
  if (labelSelector !== undefined) return { type: 'labels', labelSelector };
  return names === undefined ? undefined : { type: 'names', names };
};
