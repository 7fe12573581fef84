import type { Context } from './context.ts';
import { ancestor, chain, withVariable, type Compiled, type Emit, type Env, type Run } from './machine.ts';
import { lostPath } from './path.ts';
import { declare, depthOf, findVariable, type Scope } from './scope.ts';
import { breakTo, isBreakTo, RaisedValue } from './signals.ts';
import type { Node } from './syntax.ts';
import { isTruthy, type JsonValue } from './value.ts';

type NodeOf<T extends Node['type']> = Extract<Node, { readonly type: T }>;

/**
 * Where a part stands: the names that are visible there, and whether it is in tail position, with nothing of the
 * enclosing function left to do after it.
 */
export interface Place {
  readonly scope: Scope;
  readonly isTail: boolean;
}

/** `left | right` */
export function compilePipe(node: NodeOf<'pipe'>, context: Context, { scope, isTail }: Place): Compiled {
  const left = context.compile(node.left, scope);
  const right = context.compile(node.right, scope, isTail);
  const passOn = outputsInto(left, right, isTail);
  const { one: leftOne } = left;
  const run: Run = (value, path, env, emit) => {
    if (leftOne !== undefined && path === undefined) {
      return right.run(leftOne(value, env), undefined, env, emit);
    }
    return passOn(value, path, env, emit);
  };
  const { one: rightOne } = right;
  if (leftOne === undefined || rightOne === undefined) return { run };
  return { run, one: (value, env) => rightOne(leftOne(value, env), env) };
}

/** `left, right` */
export function compileComma(node: NodeOf<'comma'>, context: Context, { scope, isTail }: Place): Compiled {
  const left = context.compile(node.left, scope);
  const right = context.compile(node.right, scope, isTail);
  return {
    run: (value, path, env, emit) => {
      context.meter.tick();
      left.run(value, path, env, emit);
      return right.run(value, path, env, emit);
    },
  };
}

/** `if`: each output of the condition chooses a branch. */
export function compileIf(node: NodeOf<'if'>, context: Context, { scope, isTail }: Place): Compiled {
  const condition = context.compile(node.condition, scope);
  const whenTrue = context.compile(node.whenTrue, scope, isTail);
  const otherwise = context.compile(node.otherwise, scope, isTail);
  const { one: conditionOne } = condition;
  if (conditionOne === undefined) {
    const branch = (output: JsonValue): Compiled => (isTruthy(output) ? whenTrue : otherwise);
    return { run: isTail ? chooseInTail(condition, branch) : choose(condition, branch) };
  }
  const run: Run = (value, path, env, emit) =>
    (isTruthy(conditionOne(value, env)) ? whenTrue : otherwise).run(value, path, env, emit);
  const { one: trueOne } = whenTrue;
  const { one: otherwiseOne } = otherwise;
  if (trueOne === undefined || otherwiseOne === undefined) return { run };
  return { run, one: (value, env) => (isTruthy(conditionOne(value, env)) ? trueOne : otherwiseOne)(value, env) };
}

/** `left // right`: the outputs of `left` that are neither false nor null, or those of `right` if there are none. */
export function compileAlternative(node: NodeOf<'alternative'>, context: Context, { scope, isTail }: Place): Compiled {
  const left = context.compile(node.left, scope);
  const right = context.compile(node.right, scope, isTail);
  const run: Run = (value, path, env, emit) => {
    let isFound = false;
    left.run(value, path, env, (output, at) => {
      if (!isTruthy(output)) return;
      isFound = true;
      emit(output, at);
    });
    return isFound ? undefined : right.run(value, path, env, emit);
  };
  const { one: leftOne } = left;
  const { one: rightOne } = right;
  if (leftOne === undefined || rightOne === undefined) return { run };
  return {
    run,
    one: (value, env) => {
      const output = leftOne(value, env);
      return isTruthy(output) ? output : rightOne(value, env);
    },
  };
}

/** `try body catch handler`, and `body?` where there is no handler. */
export function compileTry(node: NodeOf<'try'>, context: Context, scope: Scope): Compiled {
  const body = context.compile(node.body, scope);
  const handler = node.handler === undefined ? undefined : context.compile(node.handler, scope);
  return {
    run: (value, path, env, emit) => {
      guarded(
        (take) => body.run(value, path, env, take),
        emit,
        (error) => {
          handler?.run(error, lostPath(path), env, emit);
        },
      );
      return undefined;
    },
  };
}

/** `label $name | body` */
export function compileLabel(node: NodeOf<'label'>, context: Context, scope: Scope): Compiled {
  const body = context.compile(node.body, declare(scope, 'label', node.name));
  return {
    run: (value, path, env, emit) => {
      const labelled = withVariable(env, null);
      breakable(labelled, () => body.run(value, path, labelled, emit));
      return undefined;
    },
  };
}

/** `break $name` */
export function compileBreak(node: NodeOf<'break'>, context: Context, scope: Scope): Compiled {
  const label = findVariable(scope, 'label', node.name);
  if (label === undefined) return context.fail(`$*label-${node.name} is not defined`, node.at);
  const hops = depthOf(scope) - label.depth;
  return { run: (_value, _path, env) => breakTo(ancestor(env, hops)) };
}

/** Runs `work` until it ends or breaks to `target`. */
export function breakable(target: object, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (!isBreakTo(thrown, target)) throw thrown;
  }
}

/** Returns the first output of a filter and stops the filter there; undefined if it has no output. */
export function firstOutput(filter: Compiled, value: JsonValue, env: Env): JsonValue | undefined {
  if (filter.one !== undefined) return filter.one(value, env);
  let first: JsonValue | undefined;
  const target = {};
  breakable(target, () => {
    filter.run(value, undefined, env, (output) => {
      first = output;
      breakTo(target);
    });
  });
  return first;
}

/**
 * Runs `work` and passes an error that it raises to `recover`. Errors raised in `emit`, by the code that receives the
 * output, are not caught.
 */
export function guarded(work: (take: Emit) => void, emit: Emit, recover: (error: JsonValue) => void): void {
  let isDownstream = false;
  try {
    work((value, path) => {
      isDownstream = true;
      emit(value, path);
      isDownstream = false;
    });
  } catch (thrown) {
    if (isDownstream || !(thrown instanceof RaisedValue)) throw thrown;
    recover(thrown.value);
  }
}

type Branch = (output: JsonValue) => Compiled;

function choose(condition: Compiled, branch: Branch): Run {
  return (value, path, env, emit) => {
    condition.run(value, undefined, env, (output) => {
      branch(output).run(value, path, env, emit);
    });
    return undefined;
  };
}

function chooseInTail(condition: Compiled, branch: Branch): Run {
  return (value, path, env, emit) =>
    chain(
      (take) => condition.run(value, undefined, env, take),
      (output) => branch(output).run(value, path, env, emit),
    );
}

function outputsInto(left: Compiled, right: Compiled, isTail: boolean): Run {
  if (isTail) {
    return (value, path, env, emit) =>
      chain(
        (take) => left.run(value, path, env, take),
        (output, at) => right.run(output, at, env, emit),
      );
  }
  return (value, path, env, emit) => {
    left.run(value, path, env, (output, at) => {
      right.run(output, at, env, emit);
    });
    return undefined;
  };
}
