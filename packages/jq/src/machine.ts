// The run-time form of a jq program, which compile.ts builds and program.ts starts. Every part of the program is a
// `Compiled` filter. `run` is synchronous and calls `emit` once per output, in order. `one` exists only for filters
// that always have exactly one output; it is a shortcut that may be used only where no paths are tracked, as it returns
// no path.
//
// Names live in an `Env`, a linked list with one level per variable, label and filter parameter. The compiler knows how
// many levels up each name is, so nothing is looked up by name.
//
// jq programs loop by recursion, so a call in tail position must not grow the stack: its `run` may return the rest of
// the work as a `Tail`. The caller must either return that `Tail` in turn, if it is in tail position itself, or run it
// with `finish`. A filter that was not compiled in tail position has no rest and returns undefined.

import { lostPath, type Path } from './path.ts';
import type { JsonValue } from './value.ts';

/** Receives one output of a filter, with its path if paths are tracked. */
export type Emit = (value: JsonValue, path: Path) => void;

/**
 * Runs a compiled filter: calls `emit` for each output, in order. A filter compiled in tail position may return the
 * rest of its work instead of doing it, so that recursion does not grow the stack; any other filter returns undefined.
 */
export type Run = (value: JsonValue, path: Path, env: Env, emit: Emit) => Tail;
/** The work that a filter in tail position has left; undefined if none. */
export type Tail = (() => Tail) | undefined;

/** A filter that always has exactly one output, as a plain function. */
export type One = (value: JsonValue, env: Env) => JsonValue;

/** A compiled filter. `one`, if present, returns the one output that `run` would emit, without its path. */
export interface Compiled {
  readonly run: Run;
  readonly one?: One;
}

/** The values of names at run time, innermost first; how many levels up a name is, is known at compile time. */
export interface Env {
  readonly value: JsonValue;
  readonly closure: Closure | undefined;
  readonly parent: Env | undefined;
}

/** A filter passed as an argument, with the environment of the place where it was written. */
export interface Closure {
  readonly filter: Compiled;
  readonly env: Env;
}

/** The environment of a whole program. */
export const EMPTY_ENV: Env = { value: null, closure: undefined, parent: undefined };

/** Adds a level with the value of a variable; a label has such a level too. */
export function withVariable(env: Env, value: JsonValue): Env {
  return { value, closure: undefined, parent: env };
}

/** Adds a level with the filter that was passed for a parameter. */
export function withClosure(env: Env, closure: Closure): Env {
  return { value: null, closure, parent: env };
}

/** The environment `hops` levels up. */
export function ancestor(env: Env, hops: number): Env {
  let current: Env | undefined = env;
  for (let left = hops; left > 0; left -= 1) current = current?.parent;
  if (current === undefined) throw new Error('a name was compiled at a depth that does not exist at run time');
  return current;
}

/** Runs the work that a filter in tail position returned, until none is left. */
export function finish(tail: Tail): undefined {
  let next = tail;
  while (next !== undefined) next = next();
  return undefined;
}

/** Makes a filter from a function of its input; its output has no path. */
export function fromOne(one: One): Compiled {
  return {
    one,
    run: (value, path, env, emit) => {
      emit(one(value, env), lostPath(path));
      return undefined;
    },
  };
}

/**
 * Calls `take` with each output of an operand, without tracking paths. Each output is held back until the next one
 * arrives or the operand has ended, so that the last one, usually the only one, is processed after the stack frames of
 * the operand are gone. Otherwise the stack of a recursive function would grow with every step.
 */
export function forEachOutput(filter: Compiled, value: JsonValue, env: Env, take: (output: JsonValue) => void): void {
  if (filter.one !== undefined) {
    take(filter.one(value, env));
    return;
  }
  finish(
    chain(
      (emit) => filter.run(value, undefined, env, emit),
      (output) => () => {
        take(output);
        return undefined;
      },
    ),
  );
}

/**
 * Calls `next` with each output of a filter and returns the rest of the work for the last one. The rest for an earlier
 * output runs when the next output arrives, or before an error of the filter is thrown on.
 */
export function chain(start: (emit: Emit) => void, next: (value: JsonValue, path: Path) => Tail): Tail {
  let pending: Tail;
  const settle = (): void => {
    const due = pending;
    pending = undefined;
    finish(due);
  };
  try {
    start((value, path) => {
      settle();
      pending = next(value, path);
    });
  } catch (thrown) {
    settle();
    throw thrown;
  }
  return pending;
}
