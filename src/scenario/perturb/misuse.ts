/*
 * Objects as users get them wrong: each field is set to something else, empty, wrong or removed, and after two minutes set
 * back. What must hold: the world returns to where it was; a value that no hook can take for right makes none delete
 * anything; and somebody is told of it where the API server refuses what a hook makes of it, and where a hook that
 * otherwise heeds the field does nothing: by a run that failed or printed something, a status, an Event or a warning.
 */

import { isDeepStrictEqual } from 'node:util';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { ScenarioError } from '../../errors.ts';
import type { Moment, Write } from '../timeline.ts';
import type { ObjectName, World } from '../world.ts';
import { type Field, fieldsOf, isCustom, type Mutation, mutationsOf } from './fields.ts';
import type { Mask } from './mask.ts';
import { mergePatch, replaced } from './json-edit.ts';
import { endDifferences, isOwnChange, shownAt, shownName, valueAt } from './oracle.ts';
import type { Misuse } from './plan.ts';
import { recover, type Story } from './play.ts';
import type { Difference } from './difference.ts';
import { shownWrite } from './strikes.ts';

/** One mutation of one object. */
export interface Mistake {
  readonly misuse: Misuse;
  readonly object: ObjectName;
  readonly good: JsonObject;
  readonly field: Field;
  readonly mutation: Mutation;
  /** Whether the object is a custom resource, which its hooks alone give a meaning. */
  readonly isCustom: boolean;
  readonly words: string;
}

/** The mistakes that users can make with the objects that they wrote and that hooks are given. */
export function mistakesIn({ timeline, objects }: Story): Mistake[] {
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const watched = new Set(timeline.flatMap(kindsOf));
  const made = new Set(timeline.flatMap(madeByOthers));
  return objects.flatMap((object): Mistake[] => {
    const name = nameOf(object);
    const custom = isCustom(object, crds);
    if (UNTOUCHED.has(name.kind) || made.has(shownName(name)) || !(custom || watched.has(name.kind))) return [];
    return fieldsOf(object, crds).flatMap((field) => mistakesWith(object, field, custom));
  });
}

function kindsOf(moment: Moment): string[] {
  if (moment.type === 'delivered') return [moment.object.kind];
  return moment.type === 'run-started' ? kindsIn([...moment.contexts]) : [];
}

function madeByOthers(moment: Moment): string[] {
  if (moment.type !== 'write' || moment.by === 'scenario' || !moment.isChange) return [];
  return moment.before === undefined ? [shownName(moment.object)] : [];
}

const UNTOUCHED = new Set(['CustomResourceDefinition', 'Namespace', 'Event', 'Lease', 'Node']);

function mistakesWith(good: JsonObject, field: Field, custom: boolean): Mistake[] {
  const object = nameOf(good);
  const value = valueAt(good, field.path);
  return mutationsOf(value, field).map((mutation) => ({
    misuse: { object: `${object.kind}/${object.namespace}/${object.name}`, field: field.path, how: mutation.how },
    object,
    good,
    field,
    mutation,
    isCustom: custom,
    words: `${shownName(object)}: ${field.path} ${mutation.value === undefined ? 'removed' : `set to ${JSON.stringify(mutation.value)}`}, then ${value === undefined ? 'removed' : `set back to ${shownAt(good, field.path)}`}`,
  }));
}

/** What became of a mistake. */
export interface MistakeMade {
  /** Whether hooks changed something because of it. */
  readonly isHeeded: boolean;
  readonly differences: readonly Difference[];
}

/** What is known before a mistake is made. */
export interface Known {
  /** What was in the world before. */
  readonly base: Story;
  readonly mask: Mask;
  /** Whether hooks changed something because of another value of the field, which was right. */
  readonly isHeeded: boolean;
}

/**
 * Makes the mistake in a recovered world, and sets it right. What the API server refuses, or sets right by a default of the
 * schema, makes no difference.
 */
export async function makeMistake(world: World, mistake: Mistake, known: Known): Promise<MistakeMade> {
  const { object, good, mutation, field } = mistake;
  const bad = replaced(good, field.path, mutation.value);
  const { answer, from } = await world.act({ type: 'patch', object, patch: mergePatch(good, bad) });
  if (answer !== undefined && (answer.code >= 400 || isFilledIn(answer.body, mistake))) return NO_MISTAKE;
  try {
    await world.act({ type: 'tick', ms: NOTICE_MS });
    const moments = world.timeline.slice(from);
    const isHeeded = moments.some(isOwnChange);
    const ignored = mutation.isWrong && known.isHeeded && !isHeeded ? unheeded(moments, mistake) : [];
    const during = [...destroyed(moments, mistake), ...silent(moments), ...ignored];
    await world.act({ type: 'patch', object, patch: mergePatch(bad, good) });
    await recover(world);
    const after: Story = { timeline: [], objects: await world.objects() };
    return { isHeeded, differences: [...during, ...endDifferences(known.base, after, known.mask)].slice(0, 20) };
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    return { isHeeded: false, differences: [{ type: 'stuck', text: error.message }] };
  }
}

const NOTICE_MS = 2 * 60_000;
const NO_MISTAKE: MistakeMade = { isHeeded: false, differences: [] };

function isFilledIn(stored: JsonValue, { good, field }: Mistake): boolean {
  return isJsonObject(stored) && isDeepStrictEqual(valueAt(stored, field.path), valueAt(good, field.path));
}

function destroyed(moments: readonly Moment[], { mutation, isCustom: custom }: Mistake): Difference[] {
  if (!mutation.isWrong || !custom) return [];
  return moments.flatMap((moment): Difference[] =>
    isOwnChange(moment) && moment.verb === 'delete'
      ? [{ type: 'destroyed', text: `${shownName(moment.object)} was deleted because of a value that cannot be right` }]
      : [],
  );
}

function silent(moments: readonly Moment[]): Difference[] {
  const refused = moments.flatMap((moment) => (moment.type === 'write' && isRefusal(moment) ? [moment] : []));
  const [first] = refused;
  if (first === undefined || moments.some(tells)) return [];
  const text = `${shownWrite(first).replace(/ \w+$/, '')} was refused with ${first.code}, and no failed run, status, Event or warning says so`;
  return [{ type: 'silent', text }];
}

// A hook that changes something for other values ran for this one, and neither did nor said anything.
function unheeded(moments: readonly Moment[], { object, field, isCustom: custom }: Mistake): Difference[] {
  const ends = moments.flatMap((moment) => (moment.type === 'run-ended' ? [moment] : []));
  const isSilent = ends.length > 0 && ends.every(({ output }) => output.length === 0) && !moments.some(tells);
  if (!custom || !isSilent) return [];
  const text = `${shownName(object)}: nothing is done about ${field.path}, and no failed run, status, Event, output or warning says so`;
  return [{ type: 'silent', text }];
}

function isRefusal({ by, code }: Write): boolean {
  return (by === 'hook' || by === 'hooklet') && (code === 400 || code === 403 || code === 422);
}

function tells(moment: Moment): boolean {
  if (moment.type === 'run-ended') return moment.outcome === 'failed' || moment.outcome === 'later';
  if (moment.type === 'log') return moment.level === 'warn' || moment.level === 'error';
  if (moment.type !== 'write' || !moment.isChange || moment.by === 'scenario') return false;
  return moment.subresource === 'status' || moment.object.kind === 'Event';
}

function kindsIn(value: JsonValue): string[] {
  if (isJsonArray(value)) return value.flatMap(kindsIn);
  if (!isJsonObject(value)) return [];
  const own = typeof value['kind'] === 'string' && isJsonObject(value['metadata']) ? [value['kind']] : [];
  return [...own, ...Object.values(value).flatMap(kindsIn)];
}

function nameOf(object: JsonObject): ObjectName {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
  return {
    apiVersion: text(object['apiVersion']),
    kind: text(object['kind']),
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
  };
}
