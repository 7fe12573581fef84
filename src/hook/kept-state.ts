import { shown } from '../lib/shown.ts';
import { isObject } from '../lib/json-object.ts';
import type { ReconcileBinding } from './binding.ts';
import { reconcileMark } from './reconcile-mark.ts';

const STATE_PREFIX = 'state.hooklet.dev/';
const TOLD_PREFIX = 'told.hooklet.dev/';
const MAX_SHOWN = 100;

type Fields = Readonly<Record<string, unknown>>;

type Marked = Pick<ReconcileBinding, 'name' | 'kind' | 'apiVersion'>;

/** What a run is given of the state that an earlier one kept with its object. */
export interface KeptState {
  /** The state as JSON text; `null` where there is none, or none that can be used. */
  readonly json: string;
  /** Why what is there cannot be used. */
  readonly problem?: string;
}

/** The annotation of a parent with the state that the hook keeps. */
export function stateAnnotation(binding: Marked): string {
  return `${STATE_PREFIX}${reconcileMark(binding)}`;
}

/** The annotation of a parent with what was told of it once, and with what is still to be told. */
export function toldAnnotation(binding: Marked): string {
  return `${TOLD_PREFIX}${reconcileMark(binding)}`;
}

/** The annotations of an object that hold no state and no memory of hooks. */
export function withoutKept(annotations: Fields): Fields {
  const others = Object.entries(annotations).filter(([name]) => !isKept(name));
  return Object.fromEntries(others);
}

/** Whether an annotation is one of those that hooklet keeps something in. */
export function isKept(name: string): boolean {
  return name.startsWith(STATE_PREFIX) || isToldAnnotation(name);
}

/** Whether an annotation is the memory of what was told once. */
export function isToldAnnotation(name: string): boolean {
  return name.startsWith(TOLD_PREFIX);
}

/**
 * Reads the state of an object, given as JSON in UTF-8. A text that is none, or was written for another object of the
 * same name, counts as no state, with the problem.
 */
export function readKeptState(binding: Marked, object: Uint8Array): KeptState {
  const name = stateAnnotation(binding);
  // Most objects have none, and need not be parsed.
  if (!hasText(object, name)) return NONE;
  const { uid, annotations } = metadataOf(object);
  const found = fieldsOf(annotations)[name];
  return found === undefined ? NONE : stateIn({ name, found, uid: typeof uid === 'string' ? uid : '' });
}

/** The text of the annotation for a state, as JSON text; `run` makes it differ from what any other run writes. */
export function stateText(uid: string, run: string, json: string): string {
  return `{"uid":${JSON.stringify(uid)},"run":${JSON.stringify(run)},"state":${json}}`;
}

function metadataOf(object: Uint8Array): Fields {
  const value: unknown = JSON.parse(Buffer.from(object).toString());
  return fieldsOf(fieldsOf(value)['metadata']);
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** Whether JSON in UTF-8 has a text somewhere. */
export function hasText(json: Uint8Array, part: string): boolean {
  return Buffer.from(json.buffer, json.byteOffset, json.byteLength).includes(part);
}

const NONE: KeptState = { json: 'null' };

function stateIn({
  name,
  found,
  uid,
}: {
  readonly name: string;
  readonly found: unknown;
  readonly uid: string;
}): KeptState {
  const kept = fieldsOf(parsed(found));
  if (!Object.hasOwn(kept, 'state') || typeof kept['uid'] !== 'string') {
    return unusable(`the annotation ${name} is no state that hooklet wrote: got ${shown(found, MAX_SHOWN)}`);
  }
  if (kept['uid'] !== uid) {
    return unusable(
      `the annotation ${name} has the state of an earlier object of this name, with the uid ${kept['uid']}`,
    );
  }
  return { json: JSON.stringify(kept['state']) };
}

function unusable(problem: string): KeptState {
  return { json: 'null', problem: `${problem}; the run begins without a state, and the next one replaces it` };
}

function parsed(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : undefined;
  } catch {
    return undefined;
  }
}
