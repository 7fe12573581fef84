import type { Context } from './context.ts';
import { excerpt } from './json-text.ts';
import { forEachOutput, fromOne, type Compiled, type Env, type One } from './machine.ts';
import { meter } from './meter.ts';
import { BINARY_OPERATORS, negate, type BinaryFunction } from './operators.ts';
import { lostPath } from './path.ts';
import type { Scope } from './scope.ts';
import { raise } from './signals.ts';
import type { Node } from './syntax.ts';
import { copyObject, isIndexLike, isTruthy, setOwn, typeName, type JsonValue } from './value.ts';

type NodeOf<T extends Node['type']> = Extract<Node, { readonly type: T }>;

/** A filter that always has the output `value`. */
export function compileLiteral(value: JsonValue): Compiled {
  return fromOne(() => value);
}

/** `left op right`; for several outputs the right side is the outer loop. */
export function compileBinary(node: NodeOf<'binary'>, context: Context, scope: Scope): Compiled {
  const left = context.compile(node.left, scope);
  const right = context.compile(node.right, scope);
  return applyToTwo(BINARY_OPERATORS[node.operator], left, right);
}

/** `-operand` */
export function compileNegate(node: NodeOf<'negate'>, context: Context, scope: Scope): Compiled {
  const operand = context.compile(node.operand, scope);
  return applyToTwo((value) => negate(value), operand, compileLiteral(null));
}

/** `[…]` */
export function compileArray(node: NodeOf<'array'>, context: Context, scope: Scope): Compiled {
  if (node.body === undefined) return compileLiteral([]);
  const { run, one } = context.compile(node.body, scope);
  if (one !== undefined) return fromOne((value, env) => [one(value, env)]);
  return fromOne((value, env) => {
    const outputs: JsonValue[] = [];
    run(value, undefined, env, (output) => {
      outputs.push(output);
    });
    return outputs;
  });
}

/** `and` and `or`; the right side is not evaluated where the left side decides. */
export function compileLogic(node: NodeOf<'and' | 'or'>, context: Context, scope: Scope): Compiled {
  const left = context.compile(node.left, scope);
  const right = context.compile(node.right, scope);
  const decisive = node.type === 'or';
  const { one: leftOne } = left;
  const { one: rightOne } = right;
  if (leftOne !== undefined && rightOne !== undefined) {
    return fromOne((value, env) =>
      isTruthy(leftOne(value, env)) === decisive ? decisive : isTruthy(rightOne(value, env)),
    );
  }
  return {
    run: (value, path, env, emit) => {
      const outPath = lostPath(path);
      forEachOutput(left, value, env, (leftValue) => {
        if (isTruthy(leftValue) === decisive) {
          emit(decisive, outPath);
        } else {
          forEachOutput(right, value, env, (rightValue) => emit(isTruthy(rightValue), outPath));
        }
      });
      return undefined;
    },
  };
}

/** A string with interpolations, each passed through the format; for several outputs the last one is the outer loop. */
export function compileString(node: NodeOf<'string'>, context: Context, scope: Scope): Compiled {
  const format = context.compileFormat(node.format, node.at);
  const formatted = (value: JsonValue): JsonValue => format(value);
  return node.parts
    .map((part) =>
      typeof part === 'string' ? compileLiteral(part) : mapOutputs(context.compile(part, scope), formatted),
    )
    .reduce((left, right) => applyToTwo(BINARY_OPERATORS['+'], left, right));
}

/** `{…}`; for several outputs the first entry is the outer loop. */
export function compileObject(node: NodeOf<'object'>, context: Context, scope: Scope): Compiled {
  const entries = node.entries.map(({ key, value }) => ({
    key: context.compile(key, scope),
    value: context.compile(value, scope),
  }));
  const constant = compileConstantKeys(node, entries);
  if (constant !== undefined) return constant;
  const ones: { readonly key: One; readonly value: One }[] = [];
  for (const { key, value } of entries) {
    if (key.one !== undefined && value.one !== undefined) ones.push({ key: key.one, value: value.one });
  }
  if (ones.length === entries.length) return fromOne((value, env) => buildObject(ones, value, env));
  return {
    run: (value, path, env, emit) => {
      const outPath = lostPath(path);
      const build = (index: number, made: Readonly<Record<string, JsonValue>>): void => {
        const entry = entries[index];
        meter().tick();
        if (entry === undefined) return emit(made, outPath);
        forEachOutput(entry.key, value, env, (key) => {
          forEachOutput(entry.value, value, env, (item) => {
            const next = copyObject(made);
            setOwn(next, objectKey(key), item);
            build(index + 1, next);
          });
        });
      };
      build(0, {});
      return undefined;
    },
  };
}

/** `{…}` of constant names, each with one value, which is the most common; undefined for any other. */
function compileConstantKeys(
  node: NodeOf<'object'>,
  entries: readonly { readonly value: Compiled }[],
): Compiled | undefined {
  const members: { readonly name: string; readonly one: One }[] = [];
  for (const [index, { key }] of node.entries.entries()) {
    const one = entries[index]?.value.one;
    if (one === undefined || key.type !== 'literal' || typeof key.value !== 'string') return undefined;
    if (key.value === '__proto__' || isIndexLike(key.value)) return undefined;
    members.push({ name: key.value, one });
  }
  return fromOne((value, env) => {
    const object: Record<string, JsonValue> = {};
    for (const { name, one } of members) object[name] = one(value, env);
    return object;
  });
}

/** A filter that passes each output of another through a function. */
export function mapOutputs(filter: Compiled, transform: (value: JsonValue) => JsonValue): Compiled {
  const { one } = filter;
  if (one !== undefined) return fromOne((value, env) => transform(one(value, env)));
  return {
    run: (value, path, env, emit) => {
      filter.run(value, undefined, env, (output) => emit(transform(output), lostPath(path)));
      return undefined;
    },
  };
}

/** A filter that combines each output of `left` with each of `right`. */
export function applyToTwo(combine: BinaryFunction, left: Compiled, right: Compiled): Compiled {
  const { one: leftOne } = left;
  const { one: rightOne } = right;
  if (leftOne !== undefined && rightOne !== undefined) {
    return fromOne((value, env) => {
      const rightValue = rightOne(value, env);
      return combine(leftOne(value, env), rightValue);
    });
  }
  return {
    run: (value, path, env, emit) => {
      const outPath = lostPath(path);
      forEachOutput(right, value, env, (rightValue) => {
        forEachOutput(left, value, env, (leftValue) => {
          meter().tick();
          emit(combine(leftValue, rightValue), outPath);
        });
      });
      return undefined;
    },
  };
}

function buildObject(
  entries: readonly { readonly key: One; readonly value: One }[],
  value: JsonValue,
  env: Env,
): JsonValue {
  const object: Record<string, JsonValue> = {};
  for (const entry of entries) setOwn(object, objectKey(entry.key(value, env)), entry.value(value, env));
  return object;
}

function objectKey(key: JsonValue): string {
  if (typeof key !== 'string') raise(`Cannot use ${typeName(key)} (${excerpt(key)}) as object key`);
  return key;
}
