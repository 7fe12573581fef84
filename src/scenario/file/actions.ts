/* The keys of a step that act; each becomes one or more actions of the world, in the order in which they are written. */

import { FAULT_TYPES, type Fault, isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { inside, present, type Place, report, reportValue } from '../../hook/config-reader.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import { nearest } from '../../hook/nearest.ts';
import type { Action } from '../world.ts';
import type { StoryContext } from './context.ts';
import {
  anyValue,
  byName,
  derived,
  described,
  duration,
  either,
  type Field,
  flag,
  instant,
  list,
  mapping,
  mark,
  oneOrMore,
  plainText,
  text,
  whole,
  word,
} from './field.ts';
import { fault } from './fault.ts';
import { hookName, triggered } from './hook-names.ts';
import { manifest, nameOf, objectName, objectsOrFiles } from './objects.ts';

/** The actions by their keys. */
export function actionFields(context: StoryContext): Readonly<Record<string, Field<readonly Action[]>>> {
  return { ...writes(context), ...time, ...calls(context), ...disturbances(context) };
}

function writes(context: StoryContext) {
  return {
    apply: described(
      derived(objectsOrFiles(context), (objects) => objects.map((object): Action => ({ type: 'apply', object }))),
      'Creates or changes objects, or those of files, by server-side apply.',
    ),
    patch: described(
      derived(oneOrMore(patched(context)), (patches) => patches),
      'Changes objects by a merge patch: what is written here is set, null removes.',
    ),
    delete: described(
      derived(oneOrMore(objectName(context)), (names) => names.map((object): Action => ({ type: 'delete', object }))),
      'Deletes objects.',
    ),
  };
}

/** An object in the form of a manifest with `subresource` beside its fields. */
function patched(context: StoryContext): Field<Action> {
  return derived(manifest(context), (object, place) => {
    const { subresource, apiVersion: _, kind: __, ...patch } = object;
    if (subresource !== undefined && typeof subresource !== 'string') {
      return reportValue(inside(place, 'subresource'), subresource, 'a text such as status');
    }
    const { name: ___, namespace: ____, ...metadata } = isJsonObject(object['metadata']) ? object['metadata'] : {};
    const { metadata: _____, ...rest } = patch;
    const whole: JsonObject = Object.keys(metadata).length === 0 ? rest : { ...rest, metadata };
    if (Object.keys(whole).length === 0) return report(place, 'changes nothing, expected fields to set');
    return { type: 'patch', object: nameOf(object), patch: whole, ...(subresource !== undefined && { subresource }) };
  });
}

const time = {
  tick: described(
    derived(duration, (ms): readonly Action[] => [{ type: 'tick', ms }]),
    'Virtual time passes: 90s, 5m, 24h.',
  ),
  until: described(
    derived(instant, (timeMs): readonly Action[] => [{ type: 'until', timeMs }]),
    'Virtual time passes until then: 2026-03-29T00:30:00Z.',
  ),
};

function calls(context: StoryContext) {
  return {
    trigger: described(triggered(context), 'Runs a schedule, or a reconcile binding: hook/binding.'),
    http: described(derived(httpRequest, single), 'A request of an http binding.'),
    admit: described(derived(review(context), single), 'A request that admission webhooks judge.'),
    convert: described(
      derived(
        mapping(
          { object: manifest(context), to: text },
          { object: 'the object', to: 'the version that it is read in, such as v2' },
        ),
        ({ object = {}, to = '' }): readonly Action[] => [{ type: 'convert', object, to }],
      ),
      'Reads an object in another version of its kind.',
    ),
  };
}

function single(action: Action): readonly Action[] {
  return [action];
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const SOME_HOST = 'http://host';

/** A path such as `//other/` names a host, and what looks like one slash may be two: so it is asked what URL it makes. */
const requestPath: Field<string> = derived(text, (path, place) =>
  path.startsWith('/') && URL.canParse(path, SOME_HOST) && new URL(path, SOME_HOST).origin === SOME_HOST
    ? path
    : reportValue(place, path, 'a path such as /hooks/a, without a host'),
);

const structured: Field<JsonValue> = { read: anyValue.read, schema: { type: ['object', 'array'] } };

const httpRequest: Field<Action> = derived(
  mapping(
    {
      method: word(methods),
      path: requestPath,
      headers: byName(plainText, /^[!#$%&'*+.^_`|~\w-]{1,100}$/, 'the name of a header'),
      body: either(isStructured, structured, plainText),
    },
    { path: 'the path of the request' },
  ),
  ({ method = 'POST', path = '/', headers, body }): Action => {
    if (body === undefined || typeof body === 'string')
      return { type: 'http', method, path, ...present({ headers, body }) };
    const all = hasContentType(headers) ? headers : { ...headers, 'content-type': 'application/json' };
    return { type: 'http', method, path, ...present({ headers: all }), body: JSON.stringify(body) };
  },
);

/** A mapping or a list, which is sent as JSON. */
function isStructured(value: unknown): boolean {
  return isObject(value) || Array.isArray(value);
}

function hasContentType(headers: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
}

function review(context: StoryContext): Field<Action> {
  const shape = {
    operation: word(['CREATE', 'UPDATE', 'DELETE'] as const),
    object: manifest(context),
    subresource: text,
    dryRun: flag,
    user: mapping({ username: text, groups: list(text) }, { username: 'a name' }),
  };
  return derived(mapping(shape, { object: 'the object' }), (fields): Action => {
    const { operation = 'CREATE', object = {}, subresource, dryRun, user } = fields;
    const { username = '', groups } = user ?? {};
    const by = user === undefined ? undefined : { username, ...present({ groups }) };
    return { type: 'admit', operation, object, ...present({ subresource, dryRun, user: by }) };
  });
}

function disturbances(context: StoryContext) {
  return {
    fault: described(
      either((value) => value === 'none', derived(word(['none']), clear), derived(oneOrMore(fault, 100), faults)),
      `Faults of the API server, of the types ${FAULT_TYPES.join(', ')}; none ends them all.`,
    ),
    kill: described(
      either((value) => !isObject(value), derived(operatorWord, killOperator), derived(killedHook(context), single)),
      'Kills the operator, or the next run of a hook.',
    ),
    restart: described(
      either((value) => typeof value === 'boolean', derived(mark, restart), derived(duration, restartAfter)),
      'Ends the operator in order and starts it again, at once or after this time.',
    ),
    again: described(derived(mark, again), 'Runs every binding again.'),
    relist: described(derived(mark, relist), 'Ends every watch, so that all is listed again.'),
    settle: described(derived(mark, settle), 'Does nothing but wait until nothing is under way, as each step does.'),
  };
}

const again = (): readonly Action[] => [{ type: 'again' }];
const relist = (): readonly Action[] => [{ type: 'relist' }];
const settle = (): readonly Action[] => [{ type: 'settle' }];
const clear = (): readonly Action[] => [{ type: 'clearFaults' }];
const restart = (): readonly Action[] => [{ type: 'restart' }];
const restartAfter = (downMs: number): readonly Action[] => [{ type: 'restart', downMs }];
const killOperator = (): readonly Action[] => [{ type: 'killOperator' }];
const faults = (all: readonly Fault[]): readonly Action[] => all.map((one) => ({ type: 'fault', fault: one }));

const operatorWord: Field<'operator'> = {
  read: (value, place: Place) => {
    if (value === 'operator') return value;
    const hint =
      typeof value === 'string' && nearest(value, ['operator']) !== undefined ? '; did you mean operator?' : '';
    return report(place, `got ${shown(value)}, expected operator, or a mapping with hook and afterEffects${hint}`);
  },
  schema: { const: 'operator' },
};

function killedHook(context: StoryContext): Field<Action> {
  return derived(
    mapping({ hook: hookName(context), afterEffects: whole(0, 1000) }, { hook: 'the name of a hook' }),
    ({ hook = '', afterEffects = 0 }): Action => ({ type: 'killHook', hook, afterEffects }),
  );
}
