/** One field of a message: what it is in JSON, in protobuf, and in a merge. */
export interface Field {
  /** Its name in JSON; empty for a message whose fields stand directly in the one around it. */
  readonly name: string;
  /** Its number in protobuf. */
  readonly number: number;
  readonly required: boolean;
  /** Whether it is left out when it is empty; Go leaves out a pointer only where there is none. */
  readonly omitted: boolean;
  readonly shape: 'one' | 'list' | 'map';
  /** A scalar, or the full name of a message, such as `core/v1.Container`. */
  readonly type: string;
  readonly patchStrategy: string;
  readonly patchMergeKey: string;
}

const FIELD = /^([^=]*)=(\d+)([!&+]?)(\??)([*%]?)([^~]*)(?:~([^:]*)(?::(.*))?)?$/;

/**
 * Reads one field: `name=number`, then `!` where it is required, `&` where it is so and yet left out when empty, or `+` where it is written even when
 * empty, `?` for a
 * pointer, `*` for a list or `%` for a map, its type (a string where none is named), and `~strategy:key` for how
 * strategic merge patch merges it. A message without a package is of the package `home`.
 */
export function readField(text: string, home: string): Field {
  const match = FIELD.exec(text);
  if (match === null) throw new Error(`"${text}" of ${home} is no field`);
  const part = (index: number): string => match[index] ?? '';
  const type = part(6) === '' ? 'string' : part(6);
  return {
    name: part(1),
    number: Number(part(2)),
    required: part(3) === '!' || part(3) === '&',
    omitted: (part(3) === '' || part(3) === '&') && part(4) === '',
    shape: SHAPES[part(5)] ?? 'one',
    type: /^[A-Z]/.test(type) ? `${home}.${type}` : type,
    patchStrategy: part(7),
    patchMergeKey: part(8),
  };
}

const SHAPES: { readonly [mark: string]: Field['shape'] } = { '*': 'list', '%': 'map' };
