import { createHash } from 'node:crypto';
import type { ObjectReference, ResultEvent } from '../../hook/result.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** How many tokens are remembered of an object, and how many Events may wait to be told of it. */
const MAX_TOLD = 100;
const MAX_WAITING = 20;

/** An Event that is told once. When that is done, its token is kept with the object. */
export interface OnceEvent {
  readonly token: string;
  readonly event: ResultEvent;
}

/**
 * What is kept with an object: the tokens of Events that were told, the latest at the end, and Events that were written
 * down together with its state and may not have been told yet.
 */
export interface ToldRecord {
  readonly told: readonly string[];
  readonly waiting: readonly OnceEvent[];
}

export const NOTHING_TOLD: ToldRecord = { told: [], waiting: [] };

/** The token of an Event that has the key `once`. */
export function onceToken(once: string): string {
  return createHash('sha256').update(once).digest('base64url').slice(0, 12);
}

/** The token of the Event of a refusal. */
export function refusalToken(reason: string, generation: number | undefined): string {
  return `${reason}@${generation ?? ''}`;
}

/** Reads the annotation of an object; what is none, or was written for another object, counts as nothing. */
export function readTold(annotation: string | undefined, uid: string): ToldRecord {
  const { uid: of, told, waiting } = asJsonObject(parsed(annotation));
  if (of !== uid) return NOTHING_TOLD;
  return {
    told: listOf(told).filter((token) => typeof token === 'string'),
    waiting: listOf(waiting).flatMap((one) => readOnce(asJsonObject(one))),
  };
}

/** The text of the annotation. */
export function toldText(uid: string, { told, waiting }: ToldRecord): string {
  const events = waiting.map(({ token, event }) => ({ token, ...event }));
  return JSON.stringify({ uid, told, ...(events.length > 0 && { waiting: events }) });
}

/** Both records as one: what was told by one of them does not wait any more. */
export function joinedTold(one: ToldRecord, other: ToldRecord): ToldRecord {
  const told = [...new Set([...one.told, ...other.told])].slice(-MAX_TOLD);
  const waiting = new Map([...one.waiting, ...other.waiting].map((event) => [event.token, event]));
  return { told, waiting: [...waiting.values()].filter(({ token }) => !told.includes(token)).slice(-MAX_WAITING) };
}

/** The record after what these tokens stand for was told. */
export function withTold(record: ToldRecord, tokens: readonly string[]): ToldRecord {
  const others = record.told.filter((token) => !tokens.includes(token));
  return joinedTold({ told: [...others, ...tokens], waiting: record.waiting }, NOTHING_TOLD);
}

function readOnce({ token, type, reason, message, once, object }: JsonObject): readonly OnceEvent[] {
  if (typeof token !== 'string' || typeof once !== 'string' || (type !== 'Normal' && type !== 'Warning')) return [];
  const about = object === undefined ? {} : { object: readReference(asJsonObject(object)) };
  return [{ token, event: { type, reason: text(reason), message: text(message), once, ...about } }];
}

function readReference({ apiVersion, kind, namespace, name }: JsonObject): ObjectReference {
  const reference = { apiVersion: text(apiVersion), kind: text(kind), name: text(name) };
  return namespace === undefined ? reference : { ...reference, namespace: text(namespace) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parsed(annotation: string | undefined): unknown {
  try {
    return annotation === undefined ? undefined : JSON.parse(annotation);
  } catch {
    return undefined;
  }
}
