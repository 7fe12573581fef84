import { firstOutput } from './compile-control.ts';
import type { Context } from './context.ts';
import { forEachOutput, type Compiled, type Env } from './machine.ts';
import { BINARY_OPERATORS, type BinaryFunction } from './operators.ts';
import { lostPath, pathKeys, ROOT } from './path.ts';
import { deletePaths, PathWriter } from './path-writer.ts';
import type { Scope } from './scope.ts';
import type { AssignOperator, Node } from './syntax.ts';
import { isTruthy, type JsonValue } from './value.ts';

type NodeOf<T extends Node['type']> = Extract<Node, { readonly type: T }>;

/** `paths op value` for every assignment operator; has one result for each output of `value`. */
export function compileAssign(node: NodeOf<'assign'>, context: Context, scope: Scope): Compiled {
  const target = context.compile(node.left, scope);
  const source = context.compile(node.right, scope);
  if (node.operator === '|=') return compileUpdate(target, source);
  const combine = COMBINE[node.operator];
  return {
    run: (value, path, env, emit) => {
      forEachOutput(source, value, env, (operand) => {
        const writer = new PathWriter(value);
        forEachPath(target, value, env, (keys) => writer.set(keys, combine(writer.read(keys), operand)));
        emit(writer.value, lostPath(path));
      });
      return undefined;
    },
  };
}

/**
 * `paths |= update`: the first output of `update` replaces the value at each path; a path without an output is deleted.
 */
export function compileUpdate(target: Compiled, update: Compiled): Compiled {
  return {
    run: (value, path, env, emit) => {
      emit(updatePaths(target, update, value, env), lostPath(path));
      return undefined;
    },
    one: (value, env) => updatePaths(target, update, value, env),
  };
}

/** Calls `take` with every path that `target` emits, as an array of keys. */
export function forEachPath(
  target: Compiled,
  value: JsonValue,
  env: Env,
  take: (keys: readonly JsonValue[]) => void,
): void {
  target.run(value, ROOT, env, (found, path) => take(pathKeys(path, found)));
}

/** Computes the new value from the old value and the operand, for each operator. */
export const COMBINE: Readonly<Record<Exclude<AssignOperator, '|='>, BinaryFunction>> = {
  '=': (_old, operand) => operand,
  '+=': BINARY_OPERATORS['+'],
  '-=': BINARY_OPERATORS['-'],
  '*=': BINARY_OPERATORS['*'],
  '/=': BINARY_OPERATORS['/'],
  '%=': BINARY_OPERATORS['%'],
  '//=': (old, operand) => (isTruthy(old) ? old : operand),
};

function updatePaths(target: Compiled, update: Compiled, value: JsonValue, env: Env): JsonValue {
  const deleted: (readonly JsonValue[])[] = [];
  const writer = new PathWriter(value);
  forEachPath(target, value, env, (keys) => {
    const replacement = firstOutput(update, writer.read(keys), env);
    if (replacement === undefined) {
      deleted.push(keys);
    } else {
      writer.set(keys, replacement);
    }
  });
  return deleted.length === 0 ? writer.value : deletePaths(writer.value, deleted);
}
