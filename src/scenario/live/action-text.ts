import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { goDuration } from '../../lib/duration.ts';
import type { Action, ObjectName } from '../world.ts';

type Texts = { readonly [Type in Action['type']]: (action: Extract<Action, { type: Type }>) => string };

const TEXTS: Texts = {
  apply: ({ object, subresource }) => `apply ${objectText(nameOf(object))}${partText(subresource)}`,
  patch: ({ object, subresource }) => `patch ${objectText(object)}${partText(subresource)}`,
  delete: ({ object }) => `delete ${objectText(object)}`,
  tick: ({ ms }) => `tick ${goDuration(ms)}`,
  until: ({ timeMs }) => `until ${new Date(timeMs).toISOString()}`,
  trigger: ({ hook, binding, object }) =>
    ['trigger', hook, binding, object && objectText(object)].filter((part) => part !== undefined).join(' '),
  http: ({ method, path }) => `${method} ${path}`,
  admit: ({ operation, object }) => `admit ${operation} ${objectText(nameOf(object))}`,
  convert: ({ object, to }) => `convert ${objectText(nameOf(object))} to ${to}`,
  fault: ({ fault }) => `fault ${fault.type}`,
  clearFaults: () => 'clear faults',
  killOperator: () => 'kill operator',
  killHook: ({ hook, afterEffects }) => `kill hook ${hook} after ${afterEffects} effects`,
  restart: ({ downMs = 0 }) => `restart${downMs === 0 ? '' : ` after ${goDuration(downMs)}`}`,
  again: () => 'again',
  relist: () => 'relist',
  settle: () => 'settle',
};

/** The action in words, such as `apply ConfigMap default/a`. */
export function actionText(action: Action): string {
  const textOf = TEXTS[action.type] as (action: Action) => string;
  return textOf(action);
}

/** The name of an object as text, such as `ConfigMap default/a`. */
export function objectText({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** The name in an object; empty where it lacks something. */
export function nameOf(object: JsonObject): ObjectName {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    apiVersion: textOf(object['apiVersion']),
    kind: textOf(object['kind']),
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
  };
}

function partText(subresource: string | undefined): string {
  return subresource === undefined ? '' : ` (${subresource})`;
}
