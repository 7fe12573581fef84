import { shown } from '../lib/shown.ts';
import { isObject, received, type FieldReader } from './field-reader.ts';

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
  readonly buckets: readonly number[];
}

/** Removes every series of the group. */
export interface ExpireOperation extends MetricCommon {
  readonly action: 'expire';
  readonly group: string;
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

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;
const MAX_SHOWN = 60;
const ACTIONS = ['add', 'set', 'observe', 'expire'] as const;
type Action = (typeof ACTIONS)[number];

/** Reads the operation of one document; the result is valid only if `reader` has no problems afterwards. */
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
  const action = readAction(reader);
  const group = reader.text('group');
  if (action === 'expire') return readExpire(reader, group);
  const name = readName(reader);
  const labels = readLabels(reader, action);
  const value = action === undefined ? undefined : readValue(reader, action);
  const series = { name, labels, ...(group !== undefined && { group }) };
  if (action === 'observe') return { action, ...series, value: value ?? 0, buckets: readBuckets(reader) };
  return action && { action, ...series, value: value ?? 0 };
}

function readAction(reader: FieldReader): Action | undefined {
  const shortcuts = (['add', 'set'] as const).filter((field) => reader.value(field) !== undefined);
  const text = reader.text('action');
  const [shortcut, second] = shortcuts;
  if (second !== undefined) {
    reader.fail('', "only one of 'set' and 'add' is allowed");
    return undefined;
  }
  if (text === undefined) {
    if (shortcut === undefined) reader.fail('', "one of: 'action', 'set' or 'add' is required");
    return shortcut;
  }
  const action = ACTIONS.find((known) => known === text);
  if (action === undefined) {
    reader.fail('action', `unsupported action: received ${received(text)}, expected one of ${ACTIONS.join(', ')}`);
  } else if (shortcut !== undefined && shortcut !== action) {
    reader.fail(shortcut, `is not allowed with action '${action}'`);
  }
  return action;
}

function readExpire(reader: FieldReader, group: string | undefined): ExpireOperation | undefined {
  if (group === undefined) reader.fail('', "'group' is required for action 'expire'");
  return group === undefined ? undefined : { action: 'expire', group };
}

function readName(reader: FieldReader): string {
  const before = reader.problems.length;
  const name = reader.text('name') ?? '';
  if (reader.problems.length > before) return name;
  if (name === '') {
    const unless = reader.text('group') === undefined ? '' : " when action is not 'expire'";
    reader.fail('', `'name' is required${unless}`);
  } else if (!METRIC_NAME.test(name)) {
    reader.fail('name', `received ${received(name)}, expected letters, digits, "_" and ":", no digit first`);
  }
  return name;
}

function readValue(reader: FieldReader, action: Action): number | undefined {
  const field = action !== 'observe' && reader.value(action) !== undefined ? action : 'value';
  if (reader.value(field) === undefined) reader.fail('', `'value' is required for action '${action}'`);
  const value = reader.number(field);
  if (action === 'add' && value !== undefined && value < 0) {
    reader.fail(field, `received ${value}, expected 0 or more: a counter only grows`);
  }
  return value;
}

function readBuckets(reader: FieldReader): readonly number[] {
  const value = reader.value('buckets');
  if (value === undefined) {
    reader.fail('', "'buckets' is required for action 'observe'");
    return [];
  }
  const buckets = Array.isArray(value) ? value.filter((bound) => typeof bound === 'number') : [];
  const isGrowing = buckets.every((bound, index) => index === 0 || bound > (buckets[index - 1] ?? bound));
  if (Array.isArray(value) && value.length > 0 && buckets.length === value.length && isGrowing) return buckets;
  reader.fail('buckets', `received ${shown(value)}, expected growing numbers such as [0.1, 1, 10]`);
  return [];
}

function readLabels(reader: FieldReader, action: Action | undefined): Readonly<Record<string, string>> {
  const value = reader.value('labels');
  if (value === undefined) return {};
  if (!isObject(value)) {
    reader.fail('labels', `received ${received(value)}, expected an object with strings`);
    return {};
  }
  const labels: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    const field = `labels.${name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name}`;
    if (!LABEL_NAME.test(name) || (action === 'observe' && name === 'le')) {
      reader.fail(field, 'is not a name a label can have: letters, digits and "_", no digit or "__" first');
    }
    if (typeof text === 'string') labels[name] = text;
    else reader.fail(field, `received ${received(text)}, expected a string`);
  }
  return labels;
}
