import { isObject } from '../../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The part of an object of a cluster that is compared with what a hook wants: the fields that are wanted, and those
 * that our field manager has by `fieldsV1`. Defaults and the fields of others are left out, as an apply leaves them.
 */
export function comparable(live: Fields, wanted: Fields, fields: Fields = {}): Fields {
  const keys = Object.keys(live).filter((key) => key in wanted || `f:${key}` in fields);
  return Object.fromEntries(keys.map((key) => [key, part(live[key], wanted[key], fields[`f:${key}`])]));
}

function part(live: unknown, wanted: unknown, fields: unknown): unknown {
  const known = isObject(fields) ? fields : {};
  if (isObject(live) && (isObject(wanted) || Object.keys(known).length > 0)) {
    return comparable(live, isObject(wanted) ? wanted : {}, known);
  }
  return Array.isArray(live) && Array.isArray(wanted) ? items(live, wanted) : live;
}

/** Items that have a name are paired by it, and those of others are left out; all others by their place. */
function items(live: readonly unknown[], wanted: readonly unknown[]): readonly unknown[] {
  const isNamed = wanted.length > 0 && wanted.every((item) => nameOf(item) !== undefined);
  if (!isNamed) return live.map((item, index) => part(item, wanted[index], undefined));
  return wanted.flatMap((item) => {
    const found = live.find((one) => nameOf(one) === nameOf(item));
    return found === undefined ? [] : [part(found, item, undefined)];
  });
}

function nameOf(item: unknown): unknown {
  return isObject(item) ? item['name'] : undefined;
}
