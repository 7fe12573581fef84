import { excerpt } from './json-text.ts';
import { raise } from './signals.ts';
import type { JsonValue } from './value.ts';

/**
 * Where a value stands in the input of the innermost `path(…)`, as a chain from the last key to `ROOT`. `undefined`
 * where nobody asks for paths; `LOST` where somebody does and the value does not come from the input.
 */
export type Path = PathStep | undefined;

export interface PathStep {
  readonly parent: PathStep | undefined;
  readonly key: JsonValue;
}

export const ROOT: PathStep = { parent: undefined, key: null };
export const LOST: PathStep = { parent: undefined, key: null };

/** The path of what stands under `key` of `value`, which itself stands at `path`. */
export function extendPath(path: Path, key: JsonValue, value: JsonValue): Path {
  if (path === undefined) return undefined;
  if (path === LOST) {
    raise(`Invalid path expression near attempt to access element ${excerpt(key)} of ${excerpt(value, 29)}`);
  }
  return { parent: path, key };
}

/** As `extendPath` for each of the elements of `value`. */
export function checkIterable(path: Path, value: JsonValue): void {
  if (path === LOST) raise(`Invalid path expression near attempt to iterate through ${excerpt(value, 29)}`);
}

/** The path of a value made by the program rather than taken from the input. */
export function lostPath(path: Path): Path {
  return path === undefined ? undefined : LOST;
}

/** The keys from the outside in, for a value that was found at `path`. */
export function pathKeys(path: Path, value: JsonValue): readonly JsonValue[] {
  if (path === LOST) raise(`Invalid path expression with result ${excerpt(value, 29)}`);
  const keys: JsonValue[] = [];
  for (let step = path; step !== undefined && step !== ROOT; step = step.parent) keys.push(step.key);
  return keys.reverse();
}
