import { lostPath, type Path } from './path.ts';
import type { JsonValue } from './value.ts';

/** Takes one output of a filter, with its path where paths are tracked. */
export type Emit = (value: JsonValue, path: Path) => void;

/**
 * A compiled filter: calls `emit` for each output, in order. One compiled in tail position may hand back the rest of
 * its work instead of doing it, so that recursion does not grow the stack; any other returns undefined.
 */
export type Run = (value: JsonValue, path: Path, env: Env, emit: Emit) => Tail;
export type Tail = (() => Tail) | undefined;

/** A filter that always has exactly one output, as a plain function. */
export type One = (value: JsonValue, env: Env) => JsonValue;

export interface Compiled {
  readonly run: Run;
  readonly one?: One;
}

/** What names stand for at run time, innermost first; how far up a name is, is known when compiling. */
export interface Env {
  readonly value: JsonValue;
  readonly closure: Closure | undefined;
  readonly parent: Env | undefined;
}

/** A filter passed as an argument, with the names it was written among. */
export interface Closure {
  readonly filter: Compiled;
  readonly env: Env;
}

export const EMPTY_ENV: Env = { value: null, closure: undefined, parent: undefined };

export function withVariable(env: Env, value: JsonValue): Env {
  return { value, closure: undefined, parent: env };
}

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

/** Does the work that was handed back. */
export function finish(tail: Tail): undefined {
  let next = tail;
  while (next !== undefined) next = next();
  return undefined;
}

/** A filter from a function of its input; its output has no path. */
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
 * The outputs of an operand, where no paths are asked for. Each is handed on when the next one comes or the operand is
 * done, so that the last, mostly the only one, is worked on when the stack of the operand is gone: without that,
 * recursive functions would nest as deep as they have steps.
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
 * Feeds each output of a filter to `next` and hands back what is left of the last one; what an earlier one left is done
 * as soon as it is known not to be the last.
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
