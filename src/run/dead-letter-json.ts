import { present } from '../hook/config-reader.ts';
import type { DeadLetter, LetterObject, LetterTrigger } from '../hook/dead-control.ts';
import { countIn, failAt, wordIn } from '../lib/json-member.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

/** A letter as plain JSON with times that a person can read. */
export function letterDocument({ firstAtMs, lastAtMs, trigger, ...letter }: DeadLetter): JsonObject {
  return { ...letter, trigger: triggerDocument(trigger), first: timeText(firstAtMs), last: timeText(lastAtMs) };
}

/** Reads what `letterDocument` made; throws a `SyntaxError` that says what is wrong. Unknown fields are left out. */
export function parseLetter(value: unknown): DeadLetter {
  const letter = objectOf(value, 'a letter');
  return {
    id: textOf(letter, 'id'),
    hook: textOf(letter, 'hook'),
    binding: textOf(letter, 'binding'),
    trigger: parseTrigger(objectOf(letter['trigger'], 'trigger')),
    why: wordIn(letter, 'why', ['permanent', 'exhausted'] as const),
    message: textOf(letter, 'message').slice(0, MAX_TEXT),
    attempts: countIn(letter, 'attempts'),
    firstAtMs: timeOf(letter, 'first'),
    lastAtMs: timeOf(letter, 'last'),
    runId: textOf(letter, 'runId'),
    ...present({
      reason: optionalTextOf(letter, 'reason')?.slice(0, MAX_TEXT),
      fingerprint: optionalTextOf(letter, 'fingerprint'),
      slice: letter['slice'] === undefined ? undefined : countIn(letter, 'slice'),
    }),
  };
}

const MAX_TEXT = 512;

function triggerDocument(trigger: LetterTrigger): JsonObject {
  if (trigger.type !== 'schedule') return { ...trigger };
  const { scheduledAtMs, ...rest } = trigger;
  return { ...rest, scheduledAt: timeText(scheduledAtMs) };
}

function parseTrigger(trigger: JsonObject): LetterTrigger {
  const type = wordIn(trigger, 'type', TYPES);
  switch (type) {
    case 'onStartup':
      return { type };
    case 'schedule':
      return { type, runId: textOf(trigger, 'runId'), scheduledAtMs: timeOf(trigger, 'scheduledAt') };
    case 'http':
      return { type, runId: textOf(trigger, 'runId') };
    case 'synchronization': {
      const apiVersion = optionalTextOf(trigger, 'apiVersion');
      const slice = trigger['slice'] === undefined ? undefined : countIn(trigger, 'slice');
      return { type, kind: textOf(trigger, 'kind'), ...present({ apiVersion, slice }) };
    }
    case 'event':
      return { type, watchEvent: wordIn(trigger, 'watchEvent', EVENTS), ...parseObject(trigger) };
    case 'reconcile':
      return { type, reason: wordIn(trigger, 'reason', REASONS), ...parseObject(trigger) };
  }
}

const TYPES = ['onStartup', 'schedule', 'http', 'synchronization', 'event', 'reconcile'] as const;
const EVENTS = ['Added', 'Modified', 'Deleted'] as const;
const REASONS = [
  'changed',
  'deleted',
  'child',
  'watched',
  'start',
  'resync',
  'again',
  'hook-changed',
  'manual',
] as const;

function parseObject(trigger: JsonObject): LetterObject {
  const generation = trigger['generation'];
  return {
    kind: textOf(trigger, 'kind'),
    namespace: textOf(trigger, 'namespace'),
    name: textOf(trigger, 'name'),
    ...present({
      apiVersion: optionalTextOf(trigger, 'apiVersion'),
      uid: optionalTextOf(trigger, 'uid'),
      resourceVersion: optionalTextOf(trigger, 'resourceVersion'),
      generation: typeof generation === 'number' ? generation : undefined,
    }),
  };
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function timeOf(value: JsonObject, key: string): number {
  const timeMs = Date.parse(textOf(value, key));
  return Number.isNaN(timeMs) ? failAt(value, key, 'a time') : timeMs;
}

function textOf(value: JsonObject, key: string): string {
  return optionalTextOf(value, key) ?? failAt(value, key, 'a string');
}

function optionalTextOf(value: JsonObject, key: string): string | undefined {
  const text = value[key];
  return typeof text === 'string' ? text : undefined;
}

function objectOf(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw new SyntaxError(`${what} is not a mapping`);
  return value;
}
