import type { Compiled } from './machine.ts';
import type { Meter } from './meter.ts';
import type { Scope } from './scope.ts';
import type { Node } from './syntax.ts';
import type { JsonObject, JsonValue } from './value.ts';

/** What the program may use of the world around it; without one, the builtins that need it are compile errors. */
export interface JqHost {
  /** The next input, or undefined after the last. */
  readonly nextInput: () => JsonValue | undefined;
  /** Takes what `debug`, `stderr` and `input_line_number` are about. */
  readonly debug: (value: JsonValue) => void;
  readonly stderr: (value: JsonValue) => void;
  readonly inputFilename: () => string | null;
  readonly inputLineNumber: () => number;
}

/** What all parts of one program share while it is compiled and while it runs. */
export interface Context {
  /** Compiles a part; in tail position it may hand back work instead of doing it. */
  readonly compile: (node: Node, scope: Scope, isTail?: boolean) => Compiled;
  /** The function behind a format such as `@base64`, or a compile error at the offset `at`. */
  readonly compileFormat: (name: string, at: number) => (value: JsonValue) => string;
  /** A function that is not defined in the program: native or from the prelude. */
  readonly compileBuiltin: (call: BuiltinCall) => Compiled;
  readonly meter: Meter;
  readonly host: JqHost | undefined;
  /** What `env` and `$ENV` hold. */
  readonly environment: JsonObject;
  /** Named values from outside: `--arg` and its kin. */
  readonly variables: JsonObject;
  /** Reports a compile error at an offset of the source. */
  readonly fail: (reason: string, at: number) => never;
}

export interface BuiltinCall {
  readonly name: string;
  readonly args: readonly Node[];
  readonly scope: Scope;
  readonly at: number;
}
