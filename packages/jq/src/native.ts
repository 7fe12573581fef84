import { forEachOutput, fromOne, type Compiled, type Env, type One } from './machine.ts';
import { lostPath } from './path.ts';
import { raise } from './signals.ts';
import { excerpt } from './json-text.ts';
import { meter } from './meter.ts';
import { isArray, typeName, type JsonValue } from './value.ts';

/** A builtin as a function of its input and its arguments; it reads only as many arguments as its `name/arity` says. */
export type Native = (input: JsonValue, a: JsonValue, b: JsonValue, c: JsonValue) => JsonValue;

/** Builtins by `name/arity`. */
export type NativeTable = Readonly<Record<string, Native>>;

/** A builtin that returns an array, whose elements are emitted one by one. */
export type Spread = (input: JsonValue, a: JsonValue, b: JsonValue) => readonly JsonValue[];
/** Builtins with any number of outputs, by `name/arity`. */
export type SpreadTable = Readonly<Record<string, Spread>>;

/** Compiles a call of a native builtin; for several outputs of the arguments the last one is the outer loop. */
export function callNative(native: Native, args: readonly Compiled[]): Compiled {
  const ones: One[] = [];
  for (const { one } of args) if (one !== undefined) ones.push(one);
  if (ones.length === args.length) return callWithOnes(native, ones);
  return {
    run: (value, path, env, emit) => {
      forEachArguments(args, value, env, ([a = null, b = null, c = null]) => {
        emit(native(value, a, b, c), lostPath(path));
      });
      return undefined;
    },
  };
}

/**
 * Compiles a call of a spread, which emits each element of its result; for several outputs of the arguments the last
 * one is the outer loop.
 */
export function callSpread(spread: Spread, args: readonly Compiled[]): Compiled {
  return {
    run: (value, path, env, emit) => {
      const outPath = lostPath(path);
      forEachArguments(args, value, env, ([a = null, b = null]) => {
        for (const output of spread(value, a, b)) {
          meter().tick();
          emit(output, outPath);
        }
      });
      return undefined;
    },
  };
}

/** Calls `take` for each combination of the outputs of `args`. */
export function forEachArguments(
  args: readonly Compiled[],
  value: JsonValue,
  env: Env,
  take: (values: readonly JsonValue[]) => void,
): void {
  const collect = (index: number, values: readonly JsonValue[]): void => {
    const arg = args[index];
    meter().tick();
    if (arg === undefined) return take(values);
    forEachOutput(arg, value, env, (output) => collect(index - 1, [output, ...values]));
  };
  collect(args.length - 1, []);
}

/** `value` as error messages name it, such as `number (1)`. */
export function describe(value: JsonValue): string {
  return `${typeName(value)} (${excerpt(value)})`;
}

/** Returns `value`; raises an error that names it, followed by `otherwise`, if it is not an array. */
export function expectArray(value: JsonValue, otherwise: string): readonly JsonValue[] {
  return isArray(value) ? value : raise(`${describe(value)} ${otherwise}`);
}

/** Returns `value`; raises `message` if it is not a string. */
export function expectString(value: JsonValue, message: string): string {
  return typeof value === 'string' ? value : raise(message);
}

/** Returns `value`; raises an error if it is not a number. */
export function expectNumber(value: JsonValue): number {
  return typeof value === 'number' ? value : raise(`${describe(value)} number required`);
}

function callWithOnes(native: Native, args: readonly One[]): Compiled {
  const [first, second, third] = args;
  if (first === undefined) return fromOne((value) => native(value, null, null, null));
  if (second === undefined) return fromOne((value, env) => native(value, first(value, env), null, null));
  return fromOne((value, env) => {
    const c = third === undefined ? null : third(value, env);
    const b = second(value, env);
    return native(value, first(value, env), b, c);
  });
}
