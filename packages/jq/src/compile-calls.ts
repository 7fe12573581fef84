import type { Context } from './context.ts';
import { ancestor, finish, withClosure, type Closure, type Compiled, type Env, type Run } from './machine.ts';
import { declare, declareFunction, depthOf, findCallable, type FunctionEntry, type Scope } from './scope.ts';
import type { Place } from './compile-control.ts';
import type { Definition, Node } from './syntax.ts';

type NodeOf<T extends Node['type']> = Extract<Node, { readonly type: T }>;

/** `def name(params): body; rest` */
export function compileDef(node: NodeOf<'def'>, context: Context, { scope, isTail }: Place): Compiled {
  return context.compile(node.body, compileFunction(node.definition, context, scope), isTail);
}

/** Compiles a function and returns the scope in which it can be called. */
export function compileFunction(definition: Definition, context: Context, scope: Scope): FunctionEntry {
  const entry = declareFunction(scope, definition.name, definition.params.length);
  let inner: Scope = entry;
  for (const { name } of definition.params) inner = declare(inner, 'closure', name);
  entry.compiled.body = context.compile(withValueParams(definition), inner, true);
  return entry;
}

/** Compiles a call of a filter parameter, of a function of the program, or of a builtin. */
export function compileCall(node: NodeOf<'call'>, context: Context, { scope, isTail }: Place): Compiled {
  const { name, args, at } = node;
  const callee = findCallable(scope, name, args.length);
  if (callee === undefined) return context.compileBuiltin({ name, args, scope, at });
  if (callee.kind !== 'function') return callParameter(depthOf(scope) - callee.depth);
  return compileDefinedCall(callee, { args, scope, isTail }, context);
}

interface DefinedCall {
  readonly args: readonly Node[];
  readonly scope: Scope;
  readonly isTail?: boolean;
}

/** Compiles a call of a function that has been resolved already. */
export function compileDefinedCall(callee: FunctionEntry, call: DefinedCall, context: Context): Compiled {
  const { args, scope, isTail = false } = call;
  const hops = depthOf(scope) - callee.depth;
  return callFunction(callee, { hops, isTail, args: args.map((arg) => compileArgument(arg, context, scope)) }, context);
}

/**
 * A `$x` parameter is a filter parameter whose outputs are bound to a variable before the body runs. With several such
 * parameters, the first is the outer loop.
 */
function withValueParams({ params, body }: Definition): Node {
  return params
    .filter(({ isValue }) => isValue)
    .toReversed()
    .reduce<Node>(
      (inner, { name }) => ({
        type: 'bind',
        source: { type: 'call', name, args: [], at: 0 },
        patterns: [{ type: 'variable', name }],
        body: inner,
      }),
      body,
    );
}

function callParameter(hops: number): Compiled {
  return {
    run: (value, path, env, emit) => {
      const closure = ancestor(env, hops).closure;
      if (closure === undefined) throw new Error('a filter parameter has no filter at run time');
      closure.filter.run(value, path, closure.env, emit);
      return undefined;
    },
  };
}

type Argument = (env: Env) => Closure;

/**
 * Compiles an argument. If it is just the name of a filter parameter, the closure of that parameter is passed on
 * unchanged; otherwise each recursive call would wrap it once more.
 */
function compileArgument(arg: Node, context: Context, scope: Scope): Argument {
  if (arg.type === 'call' && arg.args.length === 0) {
    const callee = findCallable(scope, arg.name, 0);
    if (callee?.kind === 'closure') {
      const hops = depthOf(scope) - callee.depth;
      const wrapped = callParameter(hops);
      return (env) => ancestor(env, hops).closure ?? { filter: wrapped, env };
    }
  }
  const filter = context.compile(arg, scope);
  return (env) => ({ filter, env });
}

interface Call {
  readonly hops: number;
  readonly isTail: boolean;
  readonly args: readonly Argument[];
}

function callFunction(callee: FunctionEntry, { hops, isTail, args }: Call, { meter }: Context): Compiled {
  const { compiled } = callee;
  const enter = (env: Env): Env => {
    meter.tick();
    let inner = ancestor(env, hops);
    for (const arg of args) inner = withClosure(inner, arg(env));
    return inner;
  };
  const run: Run = (value, path, env, emit) => {
    const inner = enter(env);
    const body = bodyOf(compiled);
    if (isTail) return () => body.run(value, path, inner, emit);
    return finish(body.run(value, path, inner, emit));
  };
  const bodyOne = compiled.body?.one;
  if (bodyOne === undefined) return { run };
  return { run, one: (value, env) => bodyOne(value, enter(env)) };
}

function bodyOf(compiled: FunctionEntry['compiled']): Compiled {
  if (compiled.body === undefined) throw new Error('a function was called before it was compiled');
  return compiled.body;
}
