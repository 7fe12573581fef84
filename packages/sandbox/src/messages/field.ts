/** One field of a message: its form in JSON and in protobuf, and how strategic merge patch merges it. */
export interface Field {
  /** Its name in JSON; empty for an embedded message, whose fields become fields of the outer one. */
  readonly name: string;
  /** Its number in protobuf. */
  readonly number: number;
  readonly required: boolean;
  /** Whether JSON leaves it out when it is empty. Go leaves out a pointer only if it is nil. */
  readonly omitted: boolean;
  /** Whether it is a pointer in Go, for which an empty value is another than none. */
  readonly pointer: boolean;
  readonly shape: 'one' | 'list' | 'map';
  /** A scalar, or the full name of a message, such as `core/v1.Container`. */
  readonly type: string;
  readonly patchStrategy: string;
  readonly patchMergeKey: string;
}

const FIELD = /^([^=]*)=(\d+)([!&+]?)(\??)([*%]?)([^~]*)(?:~([^:]*)(?::(.*))?)?$/;

/**
 * Parses one field: `name=number`; then `!` if it is required, `&` if it is required but left out when empty, or `+` if
 * it is optional but written even when empty; `?` for a pointer; `*` for a list or `%` for a map; its type (default
 * string); and `~strategy:key` for how strategic merge patch merges it. A message type without a package belongs to the
 * package `home`.
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
    pointer: part(4) === '?',
    shape: SHAPES[part(5)] ?? 'one',
    type: /^[A-Z]/.test(type) ? `${home}.${type}` : type,
    patchStrategy: part(7),
    patchMergeKey: part(8),
  };
}

const SHAPES: { readonly [mark: string]: Field['shape'] } = { '*': 'list', '%': 'map' };
