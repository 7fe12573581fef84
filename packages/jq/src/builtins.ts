import { COLLECTION_BUILTINS } from './builtin-collections.ts';
import { CORE_BUILTINS, CORE_SPREADS } from './builtin-core.ts';
import { DATE_BUILTINS } from './builtin-dates.ts';
import { FORM_BUILTINS, type Form } from './builtin-forms.ts';
import { HALT_BUILTINS } from './builtin-halt.ts';
import { HOST_BUILTINS, UNAVAILABLE } from './builtin-host.ts';
import { KEYED_BUILTINS } from './builtin-keyed.ts';
import { MATH_BUILTINS, ONLY_IN_C } from './builtin-math.ts';
import { REGEX_BUILTINS, REGEX_SPREADS } from './builtin-regex.ts';
import { STRING_BUILTINS } from './builtin-strings.ts';
import { SUBSTITUTION_BUILTINS } from './builtin-substitution.ts';
import { compileDefinedCall, compileFunction } from './compile-calls.ts';
import type { BuiltinCall, Context } from './context.ts';
import { fromOne, type Compiled } from './machine.ts';
import { callNative, callSpread, type Native, type Spread } from './native.ts';
import { numberOf } from './number-literal.ts';
import { preludeDefinition, preludeNames } from './prelude.ts';
import { declareFunction, type FunctionEntry } from './scope.ts';
import type { JsonValue } from './value.ts';

/**
 * Resolves calls of builtins for one program. A builtin written in jq is compiled once, when its first call is
 * compiled.
 */
export function createBuiltins(context: () => Context): Context['compileBuiltin'] {
  const prelude = new Map<string, FunctionEntry>();
  return (call) => {
    const shared = context();
    const key = `${call.name}/${call.args.length}`;
    return (
      compileForm(key, call, shared) ??
      compileNativeCall(key, call, shared) ??
      compileHostCall(key, call, shared) ??
      compilePreludeCall(key, { call, prelude, context: shared }) ??
      failToResolve(call, shared)
    );
  };
}

const NATIVES: ReadonlyMap<string, Native> = new Map(
  [CORE_BUILTINS, STRING_BUILTINS, COLLECTION_BUILTINS, REGEX_BUILTINS, DATE_BUILTINS, MATH_BUILTINS].flatMap((table) =>
    Object.entries(table),
  ),
);
const SPREADS: ReadonlyMap<string, Spread> = new Map([
  ...Object.entries(CORE_SPREADS),
  ...Object.entries(REGEX_SPREADS),
]);
const FORMS: ReadonlyMap<string, Form> = new Map(
  [FORM_BUILTINS, HALT_BUILTINS, KEYED_BUILTINS, SUBSTITUTION_BUILTINS].flatMap((table) => Object.entries(table)),
);

/** Every builtin as `name/arity`; names with a leading underscore are internal. */
function builtinNames(context: Context): readonly string[] {
  const hosted = context.host === undefined ? [] : Object.keys(HOST_BUILTINS);
  const names = [...NATIVES.keys(), ...SPREADS.keys(), ...FORMS.keys(), ...hosted, ...preludeNames(), 'builtins/0'];
  return [...new Set(names)].filter((name) => !name.startsWith('_'));
}

function compileArgs({ args, scope }: BuiltinCall, context: Context): readonly Compiled[] {
  return args.map((arg) => context.compile(arg, scope));
}

function compileForm(key: string, call: BuiltinCall, context: Context): Compiled | undefined {
  return FORMS.get(key)?.(compileArgs(call, context), context.meter);
}

function compileNativeCall(key: string, call: BuiltinCall, context: Context): Compiled | undefined {
  if (key === 'builtins/0') return fromOne(() => builtinNames(context));
  const native = NATIVES.get(key);
  if (native !== undefined) return callNative(nativeFor(key, native, context), compileArgs(call, context));
  const spread = SPREADS.get(key);
  return spread === undefined ? undefined : callSpread(spread, compileArgs(call, context));
}

/** Natives that pass numbers on, or take them for what they are: they get literals as they are. */
const TAKES_LITERALS: ReadonlySet<string> = new Set(
  'type/0 tostring/0 tojson/0 tonumber/0 length/0 abs/0 toarray/0 not/0 error/0 error/1 setpath/2 contains/1 bsearch/1 indices/1 _indices/1 index/1 rindex/1'.split(
    ' ',
  ),
);

/** The native as the program calls it: with doubles in place of literals, where it would not know what to do with them. */
function nativeFor(key: string, native: Native, { meter }: Context): Native {
  if (meter.numbers === 'doubles' || TAKES_LITERALS.has(key)) return native;
  return (input, a, b, c) => native(asDouble(input), asDouble(a), asDouble(b), asDouble(c));
}

function asDouble(value: JsonValue): JsonValue {
  return typeof value === 'symbol' ? (numberOf(value) ?? null) : value;
}

function compileHostCall(key: string, call: BuiltinCall, context: Context): Compiled | undefined {
  const { host } = context;
  const reason = Object.hasOwn(UNAVAILABLE, call.name) ? UNAVAILABLE[call.name] : undefined;
  if (host !== undefined && Object.hasOwn(HOST_BUILTINS, key))
    return HOST_BUILTINS[key]?.(compileArgs(call, context), host);
  if (reason === undefined || (host !== undefined && !/search_list|modulemeta/.test(call.name))) return undefined;
  return context.fail(`${key} is not available: ${reason}`, call.at);
}

interface PreludeCall {
  readonly call: BuiltinCall;
  readonly prelude: Map<string, FunctionEntry>;
  readonly context: Context;
}

/** Compiles the definition on first use, then the call like that of a function of the program. */
function compilePreludeCall(key: string, { call, prelude, context }: PreludeCall): Compiled | undefined {
  const { name, args, scope } = call;
  const definition = preludeDefinition(name, args.length);
  if (definition === undefined) return undefined;
  let entry = prelude.get(key);
  if (entry === undefined) {
    // Registered before its body is compiled, as these functions call each other.
    entry = declareFunction(undefined, name, args.length);
    prelude.set(key, entry);
    entry.compiled.body = compileFunction(definition, context, undefined).compiled.body;
  }
  return compileDefinedCall(entry, { args, scope }, context);
}

function failToResolve({ name, args, at }: BuiltinCall, context: Context): never {
  const key = `${name}/${args.length}`;
  if (ONLY_IN_C.has(name)) return context.fail(`${key} is not available: only the real jq has this function of C`, at);
  return context.fail(`${key} is not defined`, at);
}
