import {
  inside,
  readFields,
  readFlag,
  readInteger,
  readList,
  readName,
  readText,
  readWord,
  report,
  reportValue,
  type Read,
} from '../hook/config-reader.ts';
import type { Condition, DesiredChild, ObjectReference, Refusal, ResultEvent } from '../hook/result.ts';
import { parseDuration } from '../lib/duration.ts';
import { isObject } from '../lib/json-object.ts';

const MAX_MESSAGE_BYTES = 1024;
const MAX_VALUE_BYTES = 64 * 1024;
const MAX_ONCE_LENGTH = 253;
const MAX_TYPE_LENGTH = 316;
const MAX_LISTED = 100;
const MAX_CHILDREN = 10_000;
const MAX_AFTER = 1000;

/** A hook that asks to come again at once must not keep the machine busy. */
const MIN_RETRY_AFTER_MS = 1000;

const readRetryAfter: Read<number> = (value, place) => {
  const durationMs = typeof value === 'string' ? parseDuration(value) : undefined;
  return durationMs !== undefined && durationMs > 0
    ? Math.max(durationMs, MIN_RETRY_AFTER_MS)
    : reportValue(place, value, 'a Go duration of more than 0 such as "30s" or "1h30m", at most 87600h');
};

const readReason: Read<string> = (value, place) =>
  typeof value === 'string' && /^[A-Z][A-Za-z0-9]{0,127}$/.test(value)
    ? value
    : reportValue(place, value, 'one word in CamelCase such as "QuotaExceeded", at most 128 characters');

const readMessage: Read<string> = (value, place) => {
  const text = readText(value, place);
  if (text === undefined) return undefined;
  const bytes = Buffer.byteLength(text);
  return bytes <= MAX_MESSAGE_BYTES
    ? text
    : report(place, `got ${bytes} bytes, expected at most ${MAX_MESSAGE_BYTES}; print longer text, it is in the log`);
};

const readConditionType: Read<string> = (value, place) =>
  typeof value === 'string' &&
  value.length <= MAX_TYPE_LENGTH &&
  /^(?:[a-z0-9][-a-z0-9.]*\/)?[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?$/.test(value)
    ? value
    : reportValue(place, value, `the type of a condition such as "Ready", at most ${MAX_TYPE_LENGTH} characters`);

const STATUSES = { True: 'True', False: 'False', Unknown: 'Unknown' } as const;
const readStatusWord = readWord<Condition['status']>(STATUSES);

/** In YAML, `True` without quotes is a boolean. */
const readConditionStatus: Read<Condition['status']> = (value, place) => {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return readStatusWord(value, place);
};

const readConditionFields = readFields(
  { type: readConditionType, status: readConditionStatus, reason: readReason, message: readMessage },
  { required: { type: 'such as "Ready"', status: 'True, False or Unknown', reason: 'one word in CamelCase' } },
);

const readCondition: Read<Condition> = (value, place) => {
  const { type, status, reason, message = '' } = readConditionFields(value, place);
  if (type === undefined || status === undefined || reason === undefined) return undefined;
  return { type, status, reason, message };
};

const readConditionList = readList(readCondition, 0, MAX_LISTED);

const readConditions: Read<readonly Condition[]> = (value, place) => {
  const conditions = readConditionList(value, place);
  const types = new Set<string>();
  for (const { type } of conditions ?? []) {
    if (types.has(type)) report(place, `has the type ${type} twice, expected each once`);
    types.add(type);
  }
  return conditions;
};

const readStatus: Read<Readonly<Record<string, unknown>>> = (value, place) => {
  if (!isObject(value)) return reportValue(place, value, 'a mapping with fields of the status');
  if (!Object.hasOwn(value, 'conditions')) return value;
  return report(inside(place, 'conditions'), 'is written by hooklet, give them in the field conditions beside status');
};

const readReferenceFields = readFields(
  { apiVersion: readText, kind: readName, namespace: readName, name: readName },
  { required: { apiVersion: 'such as "apps/v1"', kind: 'such as "Deployment"', name: 'the name of the object' } },
);

const readReference: Read<ObjectReference> = (value, place) => {
  const { apiVersion, kind, namespace, name } = readReferenceFields(value, place);
  if (apiVersion === undefined || kind === undefined || name === undefined) return undefined;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
};

const readRefusedFields = readFields(
  { reason: readReason, message: readMessage },
  { required: { reason: 'one word in CamelCase such as "InvalidSpec"', message: 'what is wrong, and what to do' } },
);

const readRefused: Read<Refusal> = (value, place) => {
  const { reason, message } = readRefusedFields(value, place);
  return reason === undefined || message === undefined ? undefined : { reason, message };
};

const readOnce: Read<string> = (value, place) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_ONCE_LENGTH
    ? value
    : reportValue(place, value, `a key such as the uid of a repair, 1 to ${MAX_ONCE_LENGTH} characters`);

const EVENT_TYPES = { Normal: 'Normal', Warning: 'Warning' } as const;

const readEventFields = readFields(
  {
    type: readWord<ResultEvent['type']>(EVENT_TYPES),
    reason: readReason,
    message: readMessage,
    object: readReference,
    once: readOnce,
  },
  { required: { type: 'Normal or Warning', reason: 'one word in CamelCase' } },
);

const readEvent: Read<ResultEvent> = (value, place) => {
  const { type, reason, message = '', object, once } = readEventFields(value, place);
  if (type === undefined || reason === undefined) return undefined;
  return { type, reason, message, ...(object !== undefined && { object }), ...(once !== undefined && { once }) };
};

const readAfter: Read<string> = (value, place) =>
  typeof value === 'string' && value !== ''
    ? value
    : reportValue(place, value, 'the name of a child, as "name" or "Kind/name"');

const readObject: Read<Readonly<Record<string, unknown>>> = (value, place) =>
  isObject(value) ? value : reportValue(place, value, 'a whole Kubernetes object');

const readWrapped = readFields(
  { object: readObject, after: readList(readAfter, 0, MAX_AFTER) },
  { required: { object: 'a whole Kubernetes object' } },
);

/** An object, or `{object, after}`; an object of Kubernetes has a kind, which the wrapper has not. */
const readChild: Read<DesiredChild> = (value, place) => {
  if (!isObject(value)) return reportValue(place, value, 'a whole Kubernetes object, or {object, after}');
  const isWrapped = !Object.hasOwn(value, 'kind') && (Object.hasOwn(value, 'object') || Object.hasOwn(value, 'after'));
  if (!isWrapped) return { object: value, after: [] };
  const { object, after = [] } = readWrapped(value, place);
  return object && { object, after };
};

const OUTCOMES = { done: 'done', later: 'later', failed: 'failed', permanent: 'permanent' } as const;

/** Any value of at most 64 KiB, as JSON text. */
export const readValue: Read<string> = (value, place) => {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  return bytes <= MAX_VALUE_BYTES
    ? text
    : report(place, `has ${bytes} bytes as JSON, expected at most ${MAX_VALUE_BYTES}`);
};

/** The fields of the whole result and of each of its contexts. */
export const contextShape = {
  outcome: readWord<keyof typeof OUTCOMES>(OUTCOMES),
  retryAfter: readRetryAfter,
  reason: readReason,
  message: readMessage,
  conditions: readConditions,
  status: readStatus,
  events: readList(readEvent, 0, MAX_LISTED),
  refused: readRefused,
  state: readValue,
  children: readList(readChild, 0, MAX_CHILDREN),
  finalized: readFlag,
};

/** The index of a context. */
export const readIndex: Read<number> = (value, place) => {
  const index = readInteger(value, place);
  if (index === undefined || index >= 0) return index;
  return reportValue(place, value, 'the index of a binding context, counted from 0');
};
