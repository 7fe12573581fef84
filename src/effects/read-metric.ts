import { shown, shownName } from '../lib/shown.ts';
import { isObject } from '../lib/json-object.ts';
import { received, type FieldReader } from './field-reader.ts';
import { labelName, metricName } from './metric-name.ts';

/** One metric operation that a hook wrote. */
export type MetricOperation = ValueOperation | ObserveOperation | ExpireOperation;

/** `add` increases a counter, `set` sets a gauge. */
export interface ValueOperation extends MetricSeries, MetricCommon {
  readonly action: 'add' | 'set';
  readonly value: number;
}

/** One observation of a histogram. */
export interface ObserveOperation extends MetricSeries, MetricCommon {
  readonly action: 'observe';
  readonly value: number;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

/** Removes every series of the group; without one, every series of the hook that has no group. */
export interface ExpireOperation extends MetricCommon {
  readonly action: 'expire';
  readonly group?: string;
}

interface MetricCommon {
  /** The operation is also applied after a failed run. */
  readonly ignoreHookError?: true;
}

export interface MetricSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly group?: string;
}

export const METRIC_FIELDS = ['name', 'action', 'value', 'buckets', 'labels', 'group', 'add', 'set', 'ignoreHookError'];

/** The buckets of client_golang, for an observation whose list of buckets is empty. */
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MAX_SHOWN = 60;
const ACTIONS = ['add', 'set', 'observe', 'expire'] as const;
type Action = (typeof ACTIONS)[number];

/**
 * Reads the operation of one document; the result is valid only if `reader` has no problems afterwards. What
 * shell-operator ignores is `undefined`, with a warning.
 */
export function readMetric(reader: FieldReader): MetricOperation | undefined {
  const operation = readByAction(reader);
  return reader.flag('ignoreHookError') && operation !== undefined
    ? { ...operation, ignoreHookError: true }
    : operation;
}

/** The operations that are applied even after a failed run. */
export function metricsDespiteFailure(operations: readonly MetricOperation[]): readonly MetricOperation[] {
  return operations.filter(({ ignoreHookError }) => ignoreHookError === true);
}

function readByAction(reader: FieldReader): MetricOperation | undefined {
  const { action, field } = readAction(reader);
  if (action === undefined) return undefined;
  const group = reader.text('group');
  if (action === 'expire') return { action, ...(group !== undefined && { group }) };
  const name = readName(reader);
  const labels = readLabels(reader, action);
  const value = readValue(reader, action, field) ?? 0;
  if (labels === undefined) return undefined;
  const series = { name, labels, ...(group !== undefined && { group }) };
  if (action === 'observe') return { action, ...series, value, buckets: readBuckets(reader) };
  if (action === 'set' || value >= 0) return { action, ...series, value };
  reader.warnings.push(`a counter only grows, so ${field} ${value} of ${shownName(name)} is ignored`);
  return undefined;
}

interface ChosenAction {
  /** Absent when the operation does nothing. */
  readonly action?: Action;
  /** Where its value is. */
  readonly field: 'value' | 'set' | 'add';
}

/** A shortcut has precedence over `action`, but two shortcuts are none. */
function readAction(reader: FieldReader): ChosenAction {
  const [shortcut, second] = (['set', 'add'] as const).filter((field) => reader.value(field) !== undefined);
  if (shortcut !== undefined && second === undefined) return { action: shortcut, field: shortcut };
  const text = reader.text('action');
  const action = ACTIONS.find((known) => known === text);
  if (action !== undefined) return { action, field: 'value' };
  const choice = `expected one of ${ACTIONS.join(', ')}`;
  reader.warnings.push(
    text === undefined
      ? "one of: 'action', 'set' or 'add' is required; without it nothing is done"
      : `unsupported action: received ${received(text)}, ${choice}; nothing is done`,
  );
  return { field: 'value' };
}

function readName(reader: FieldReader): string {
  const before = reader.problems.length;
  const name = reader.text('name') ?? '';
  if (reader.problems.length > before || name !== '') return metricName(name);
  const unless = reader.text('group') === undefined ? '' : " when action is not 'expire'";
  reader.fail('', `'name' is required${unless}`);
  return name;
}

function readValue(reader: FieldReader, action: Action, field: ChosenAction['field']): number | undefined {
  if (reader.value(field) === undefined) reader.fail('', `'value' is required for action '${action}'`);
  return reader.number(field);
}

function readBuckets(reader: FieldReader): readonly number[] {
  const value = reader.value('buckets');
  if (value === undefined) {
    reader.fail('', "'buckets' is required for action 'observe'");
    return [];
  }
  // In Go a null in a list of numbers is 0.
  const bounds = Array.isArray(value) ? value.map((bound: unknown) => bound ?? 0) : [];
  const buckets = bounds.filter((bound) => typeof bound === 'number');
  const isFinite = buckets.every(Number.isFinite);
  if (Array.isArray(value) && buckets.length === value.length && isFinite) {
    return buckets.length === 0 ? DEFAULT_BUCKETS : [...new Set(buckets)].toSorted((a, b) => a - b);
  }
  const problem = isFinite ? shown(value) : 'a number that is too large';
  reader.fail('buckets', `received ${problem}, expected numbers such as [0.1, 1, 10]`);
  return [];
}

/** `undefined` when a label has a name that none can have. */
function readLabels(reader: FieldReader, action: Action): Readonly<Record<string, string>> | undefined {
  const value = reader.value('labels');
  if (value === undefined) return {};
  if (!isObject(value)) {
    reader.fail('labels', `received ${received(value)}, expected an object with strings`);
    return {};
  }
  const labels: Record<string, string> = {};
  let isUsable = true;
  for (const [written, text] of Object.entries(value)) {
    const name = usableName(written, action);
    const field = `labels.${shownName(written, MAX_SHOWN)}`;
    if (typeof text !== 'string' && text !== null) reader.fail(field, `received ${received(text)}, expected a string`);
    else if (name !== undefined) labels[name] = text ?? '';
    else reader.warnings.push(`${field} is not a name a label can have, so nothing is done`);
    isUsable &&= name !== undefined;
  }
  return isUsable ? labels : undefined;
}

function usableName(written: string, action: Action): string | undefined {
  const name = labelName(written);
  // The page has the bounds of buckets in this label.
  return action === 'observe' && name === 'le' ? undefined : name;
}
