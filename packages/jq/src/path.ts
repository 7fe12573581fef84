// `path(…)`, assignments and deletions need to know where in their input the outputs of a filter are. So filters pass a
// path along with each value (see `Run` in machine.ts). A path has three states: undefined means that paths are not
// tracked, which costs nothing; a chain of steps is the position of a value in the input; `LOST` means that paths are
// tracked, but the value was made by the program and is not a part of the input. `LOST` becomes an error only when the
// path is used.
//
// compile-assign.ts starts a filter at `ROOT` and reads the result with `pathKeys`; a filter that takes parts of its
// input extends the path, and any other filter emits `lostPath`.

import { excerpt } from './json-text.ts';
import { raise } from './signals.ts';
import type { JsonValue } from './value.ts';

/**
 * The position of a value in the input of the innermost `path(…)`, as a chain from its last key to `ROOT`. `undefined`
 * if paths are not tracked; `LOST` if they are and the value is not a part of the input.
 */
export type Path = PathStep | undefined;

/** One step of a path: a key, and the path of the container that it selects from. */
export interface PathStep {
  readonly parent: PathStep | undefined;
  readonly key: JsonValue;
}

/** The path of the whole input; compared by identity. */
export const ROOT: PathStep = { parent: undefined, key: null };
/** The path of a value that is not a part of the input; compared by identity. */
export const LOST: PathStep = { parent: undefined, key: null };

/** The path of the element or field `key` of `value`, whose own path is `path`. Raises an error if that is `LOST`. */
export function extendPath(path: Path, key: JsonValue, value: JsonValue): Path {
  if (path === undefined) return undefined;
  if (path === LOST) {
    raise(`Invalid path expression near attempt to access element ${excerpt(key)} of ${excerpt(value)}`);
  }
  return { parent: path, key };
}

/** Raises an error if `path` is `LOST`: then the elements of `value` have no paths either. */
export function checkIterable(path: Path, value: JsonValue): void {
  if (path === LOST) raise(`Invalid path expression near attempt to iterate through ${excerpt(value)}`);
}

/** The path of a value that is made by the program and not taken from its input. */
export function lostPath(path: Path): Path {
  return path === undefined ? undefined : LOST;
}

/** Returns the keys of `path`, outermost first. Raises an error, which quotes `value`, if the path is `LOST`. */
export function pathKeys(path: Path, value: JsonValue): readonly JsonValue[] {
  if (path === LOST) raise(`Invalid path expression with result ${excerpt(value)}`);
  const keys: JsonValue[] = [];
  for (let step = path; step !== undefined && step !== ROOT; step = step.parent) keys.push(step.key);
  return keys.reverse();
}
