// The public API of @hooklet/jq. Values go in and come out as `JSON.parse` makes them; nothing here reads or writes
// files, streams or the environment.

/** Compiles a program once, for many runs; throws a JqSyntaxError where it is not valid. */
export { compileJq } from './program.ts';
/** What a program gets when it is compiled; a compiled program, whose `run` gives each output to a function. */
export type { JqOptions, JqProgram } from './program.ts';
/** Where `input`, `debug` and their like read and write; without one a program that calls them does not compile. */
export type { JqHost } from './context.ts';
/** What one run may use; a run that needs more ends with a JqLimitError. */
export type { JqLimits } from './meter.ts';

/** An error that the program raised and did not catch; a JqDepthError where its recursion went too deep. */
export { JqDepthError, JqError } from './program.ts';
/** The run met one of its limits; the program called `halt` or `halt_error`. */
export { JqHalt, JqLimitError } from './signals.ts';
/** The program does not compile, with line and column. */
export { JqSyntaxError } from './syntax-error.ts';

/** A value of JSON; inside a program numbers may also be NaN or infinite. */
export type { JsonObject, JsonValue } from './value.ts';
/** Reads one value from text as jq does; throws a JsonTextError that says why and where the text is not one. */
export { JsonTextError, parseJson } from './json-parse.ts';
/** Writes a value as jq prints it: on one line by default. */
export { jsonText, type JsonTextOptions } from './json-text.ts';
