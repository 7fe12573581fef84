import type { Context } from './context.ts';
import { compilePatterns, type Binder } from './destructure.ts';
import { guarded, type Place } from './compile-control.ts';
import { compileLiteral } from './compile-values.ts';
import { ancestor, chain, forEachOutput, fromOne, type Compiled, type Emit, type Env, type Run } from './machine.ts';
import { lostPath, type Path } from './path.ts';
import { compileInPlace, type OwnedState } from './reduce-in-place.ts';
import { depthOf, findVariable, type Scope } from './scope.ts';
import type { Node } from './syntax.ts';
import { ownValue, type JsonValue } from './value.ts';

type NodeOf<T extends Node['type']> = Extract<Node, { readonly type: T }>;

/** `$name`: a variable of the program, `$ENV`, or a variable passed in from outside. */
export function compileVariable(node: NodeOf<'variable'>, context: Context, scope: Scope): Compiled {
  const entry = findVariable(scope, 'variable', node.name);
  if (entry !== undefined) {
    const hops = depthOf(scope) - entry.depth;
    return fromOne((_value, env) => ancestor(env, hops).value);
  }
  if (node.name === 'ENV') return compileLiteral(context.environment);
  if (!Object.hasOwn(context.variables, node.name)) context.fail(`$${node.name} is not defined`, node.at);
  return compileLiteral(ownValue(context.variables, node.name));
}

/**
 * `source as pattern | body`. With several patterns (`?//`), the next one is tried when binding the previous one or
 * running the body with it raises an error.
 */
export function compileBind(node: NodeOf<'bind'>, context: Context, { scope, isTail }: Place): Compiled {
  const source = context.compile(node.source, scope);
  const { scope: inner, binders } = compilePatterns(node.patterns, context, scope);
  const [binder] = binders;
  if (binders.length > 1 || binder === undefined) {
    return bindAlternatives(source, binders, context.compile(node.body, inner));
  }
  const body = context.compile(node.body, inner, isTail);
  if (!isTail) {
    return {
      run: (value, path, env, emit) => {
        forEachOutput(source, value, env, (item) => {
          binder(item, env, (bound) => {
            body.run(value, path, bound, emit);
          });
        });
        return undefined;
      },
    };
  }
  return { run: bindInTail(source, binder, body) };
}

/** `reduce source as pattern (init; update)` */
export function compileReduce(node: NodeOf<'reduce'>, context: Context, scope: Scope): Compiled {
  const loop = compileLoop(node, context, scope);
  const inPlace = compileInPlace(node.update, context, loop.scope);
  return {
    run: (value, path, env, emit) => {
      loop.init.run(value, path, env, (start, startPath) => {
        let state: State = { value: start, path: startPath };
        const owned: OwnedState = { container: undefined };
        loop.each(value, env, (bound) => {
          if (inPlace === undefined || path !== undefined) state = loop.step(state, bound);
          else state = { value: inPlace(state.value, bound, owned), path: undefined };
        });
        emit(state.value, state.path);
      });
      return undefined;
    },
  };
}

/** `foreach source as pattern (init; update; extract)` */
export function compileForeach(node: NodeOf<'foreach'>, context: Context, scope: Scope): Compiled {
  const loop = compileLoop(node, context, scope);
  const extract = context.compile(node.extract, loop.scope);
  return {
    run: (value, path, env, emit) => {
      loop.init.run(value, path, env, (start, startPath) => {
        let state: State = { value: start, path: startPath };
        loop.each(value, env, (bound) => {
          loop.update.run(state.value, state.path, bound, (next, nextPath) => {
            state = { value: next, path: nextPath };
            extract.run(next, nextPath, bound, emit);
          });
        });
      });
      return undefined;
    },
  };
}

function bindInTail(source: Compiled, binder: Binder, body: Compiled): Run {
  return (value, path, env, emit) => {
    let bound = env;
    return chain(
      (take) => {
        forEachOutput(source, value, env, (item) => {
          binder(item, env, (inner) => {
            bound = inner;
            take(value, path);
          });
        });
      },
      () => body.run(value, path, bound, emit),
    );
  };
}

interface State {
  readonly value: JsonValue;
  readonly path: Path;
}

function compileLoop(node: NodeOf<'reduce' | 'foreach'>, context: Context, scope: Scope) {
  const { scope: inner, binders } = compilePatterns([node.pattern], context, scope);
  const source = context.compile(node.source, scope);
  const update = context.compile(node.update, inner);
  const [binder] = binders;
  return {
    scope: inner,
    update,
    init: context.compile(node.init, scope),
    each: (value: JsonValue, env: Env, take: (bound: Env) => void): void => {
      // Not `forEachOutput`, which holds each output back until the next one: a loop over `inputs` must not read one
      // more than it has processed.
      source.run(value, undefined, env, (item) => {
        context.meter.tick();
        binder?.(item, env, take);
      });
    },
    /** The last output of the update is the next state; null if there is no output. */
    step: (state: State, bound: Env): State => {
      if (update.one !== undefined && state.path === undefined) {
        return { value: update.one(state.value, bound), path: undefined };
      }
      let next: State = { value: null, path: lostPath(state.path) };
      update.run(state.value, state.path, bound, (value, path) => {
        next = { value, path };
      });
      return next;
    },
  };
}

function bindAlternatives(source: Compiled, binders: readonly Binder[], body: Compiled): Compiled {
  return {
    run: (value, path, env, emit) => {
      const attempt = (item: JsonValue, index: number): void => {
        const binder = binders[index];
        if (binder === undefined) return;
        const work = (take: Emit): void => {
          binder(item, env, (bound) => {
            body.run(value, path, bound, take);
          });
        };
        if (index === binders.length - 1) return work(emit);
        guarded(work, emit, () => attempt(item, index + 1));
      };
      forEachOutput(source, value, env, (item) => attempt(item, 0));
      return undefined;
    },
  };
}
