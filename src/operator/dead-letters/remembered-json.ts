import { present } from '../../hook/config-reader.ts';
import type { Pause, PauseTarget } from '../../hook/pause-control.ts';
import type { Logger } from '../../log.ts';
import { letterDocument, parseLetter } from '../../run/dead-letter-json.ts';
import type { Codec } from '../../state/record-texts.ts';
import type { Remembered } from './remembered.ts';
import { isObject } from '../../lib/json-object.ts';

/** The text of a record. Parts that cannot be read, such as after an edit by hand, are left out. */
export function rememberedCodec(log: Logger): Codec<Remembered> {
  const parts = <T>(value: unknown, parse: (value: unknown) => T): readonly T[] => {
    if (!Array.isArray(value)) throw new SyntaxError('letters or pauses is not a list');
    return value.flatMap((element: unknown) => {
      try {
        return [parse(element)];
      } catch (error) {
        log.warn({ err: error }, 'a dead letter or a pause cannot be read, it is left out');
        return [];
      }
    });
  };
  return {
    format: ({ letters, pauses }) =>
      JSON.stringify({ ...present({ letters: letters?.map(letterDocument), pauses: pauses?.map(pauseDocument) }) }),
    parse: (text) => {
      const value: unknown = JSON.parse(text);
      if (!isObject(value)) throw new SyntaxError('the text is not a mapping');
      if (value['letters'] !== undefined) return { letters: parts(value['letters'], parseLetter) };
      if (value['pauses'] !== undefined) return { pauses: parts(value['pauses'], parsePause) };
      throw new SyntaxError('the text has neither letters nor pauses');
    },
  };
}

function pauseDocument({ target, sinceMs }: Pause): Readonly<Record<string, unknown>> {
  return { ...target, since: new Date(sinceMs).toISOString() };
}

function parsePause(value: unknown): Pause {
  if (!isObject(value)) throw new SyntaxError('a pause is not a mapping');
  const sinceMs = Date.parse(textOf(value['since'], 'since'));
  if (Number.isNaN(sinceMs)) throw new SyntaxError('since is not a time');
  return { target: parseTarget(value), sinceMs };
}

function parseTarget(value: Readonly<Record<string, unknown>>): PauseTarget {
  const type = textOf(value['type'], 'type');
  if (type === 'hook') return { type, hook: textOf(value['hook'], 'hook') };
  if (type === 'queue') return { type, queue: textOf(value['queue'], 'queue') };
  if (type !== 'object') throw new SyntaxError(`type is ${type}, expected hook, queue or object`);
  const { kind, hook } = value;
  const place = { namespace: textOf(value['namespace'], 'namespace'), name: textOf(value['name'], 'name') };
  return { type, ...place, ...optional('kind', kind), ...optional('hook', hook) };
}

function optional<K extends string>(key: K, value: unknown): { readonly [P in K]?: string } {
  const fields: { [P in K]?: string } = {};
  if (value !== undefined) fields[key] = textOf(value, key);
  return fields;
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new SyntaxError(`${what} is not a string`);
  return value;
}
