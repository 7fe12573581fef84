import type { Form } from './builtin-forms.ts';
import { IDENTITY } from './compile-paths.ts';
import { elements } from './elements.ts';
import { forEachOutput, fromOne, type Compiled, type Env } from './machine.ts';
import { meter } from './meter.ts';
import { describe } from './native.ts';
import { compareValues } from './order.ts';
import { raise } from './signals.ts';
import { isObject, type JsonValue } from './value.ts';

/** Builtins that order or group elements by the outputs of a filter. */
export const KEYED_BUILTINS: Readonly<Record<string, Form>> = {
  'sort_by/1': keyed('sorted', (items) => items.map(({ value }) => value)),
  'group_by/1': keyed('grouped', (items) => groups(items).map((group) => group.map(({ value }) => value))),
  'unique_by/1': keyed('grouped', (items) => groups(items).map(([first]) => first?.value ?? null)),
  'min_by/1': keyed('iterated over', (items) => items[0]?.value ?? null),
  'max_by/1': keyed('iterated over', (items) => items.at(-1)?.value ?? null),
};

interface Item {
  readonly key: readonly JsonValue[];
  readonly value: JsonValue;
}

/** A form that gets the elements sorted by key; the sort is stable. */
function keyed(what: string, finish: (items: readonly Item[]) => JsonValue): Form {
  return ([keyFilter = IDENTITY]) =>
    fromOne((value, env) => {
      if (isObject(value)) return raise(`${describe(value)} cannot be ${what}, as it is not an array`);
      const items = elements(value).map((item) => {
        meter().tick();
        return { key: keyOf(keyFilter, item, env), value: item };
      });
      return finish(items.toSorted((left, right) => compareValues(left.key, right.key)));
    });
}

function keyOf(filter: Compiled, value: JsonValue, env: Env): readonly JsonValue[] {
  const key: JsonValue[] = [];
  forEachOutput(filter, value, env, (output) => {
    key.push(output);
  });
  return key;
}

function groups(items: readonly Item[]): readonly (readonly Item[])[] {
  const all: Item[][] = [];
  let last: Item | undefined;
  for (const item of items) {
    if (last !== undefined && compareValues(last.key, item.key) === 0) all.at(-1)?.push(item);
    else all.push([item]);
    last = item;
  }
  return all;
}
