import type { Compiled } from './machine.ts';
import type { Meter } from './meter.ts';
import type { Scope } from './scope.ts';
import type { Node } from './syntax.ts';
import type { JsonObject, JsonValue } from './value.ts';

/**
 * The inputs and outputs that a program may use besides its one input. Without a host, a program that calls a builtin
 * that needs one does not compile.
 */
export interface JqHost {
  /** Returns the next input, or undefined after the last. */
  readonly nextInput: () => JsonValue | undefined;
  /** Receives each value that passes through `debug`. */
  readonly debug: (value: JsonValue) => void;
  readonly stderr: (value: JsonValue) => void;
  readonly inputFilename: () => string | null;
  readonly inputLineNumber: () => number;
}

/** The state and functions that all parts of one program share while it is compiled and while it runs. */
export interface Context {
  /** Compiles a part of the program; with `isTail`, the result may return remaining work to its caller (see `Tail`). */
  readonly compile: (node: Node, scope: Scope, isTail?: boolean) => Compiled;
  /** Returns the function behind a format such as `@base64`, or reports a compile error at the offset `at`. */
  readonly compileFormat: (name: string, at: number) => (value: JsonValue) => string;
  /** Compiles a call of a function that the program does not define: a builtin, native or written in jq. */
  readonly compileBuiltin: (call: BuiltinCall) => Compiled;
  readonly meter: Meter;
  readonly host: JqHost | undefined;
  /** The value of `env` and `$ENV`. */
  readonly environment: JsonObject;
  /** Variables passed in from outside, such as those of `--arg`, by name without the `$`. */
  readonly variables: JsonObject;
  /** Reports a compile error at an offset of the source. */
  readonly fail: (reason: string, at: number) => never;
}

/** A call of a builtin: its name and arguments, where it stands, and its offset in the source. */
export interface BuiltinCall {
  readonly name: string;
  readonly args: readonly Node[];
  readonly scope: Scope;
  readonly at: number;
}
