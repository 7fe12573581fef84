// The public API of @hooklet/jq. Values go in and come out as `JSON.parse` makes them; nothing here reads or writes
// files, streams or the environment.

/** Compiles a program once, for many runs; throws a JqSyntaxError if it is invalid. */
export { compileJq } from './program.ts';
/** The options of `compileJq`, and the compiled program that it returns. */
export type { JqOptions, JqProgram, RunOptions } from './program.ts';
/** Which numbers are kept as they are written. */
export type { Numbers } from './number-literal.ts';
/**
 * What `input`, `debug` and similar builtins read and write; without a host, a program that calls them does not
 * compile.
 */
export type { JqHost } from './context.ts';
/** The limits of one run; a run that exceeds one ends with a JqLimitError. */
export type { JqLimits } from './meter.ts';

/** Thrown for an error that the program raised and did not catch; JqDepthError for recursion that is too deep. */
export { JqDepthError, JqError } from './program.ts';
/** Thrown when the program calls `halt` or `halt_error`, and when a run exceeds one of its limits. */
export { JqHalt, JqLimitError, JqRoundedError } from './signals.ts';
/** Thrown when a program does not compile; the message gives line and column. */
export { JqSyntaxError } from './syntax-error.ts';

/** A JSON value; inside a program numbers may also be NaN or infinite. */
export type { JsonObject, JsonValue } from './value.ts';
/** Parses one value as jq does; throws a JsonTextError that says where and why the text is invalid. */
export { JsonTextError, parseJson } from './json-parse.ts';
/** Writes a value as jq prints it; default on one line. */
export { jsonText, type JsonTextOptions } from './json-text.ts';
