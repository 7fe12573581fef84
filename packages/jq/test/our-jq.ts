import type { JqHost } from '../src/context.ts';
import { jsonText } from '../src/json-text.ts';
import { compileJq, JqError, type JqOptions } from '../src/program.ts';
import { JqHalt } from '../src/signals.ts';
import { JqSyntaxError } from '../src/syntax-error.ts';
import type { JsonValue } from '../src/value.ts';
import type { JqResult } from './real-jq.ts';

/** A host with no inputs left, whose outputs go nowhere. */
export const SILENT_HOST: JqHost = {
  nextInput: () => undefined,
  debug: () => {},
  stderr: () => {},
  inputFilename: () => null,
  inputLineNumber: () => 0,
};

/** What our engine makes of a program, in the same terms as the real jq. */
export function runOurJq(program: string, input: JsonValue = null, options: JqOptions = {}): JqResult {
  const outputs: string[] = [];
  try {
    compileJq(program, options).run(input, (output) => outputs.push(jsonText(output)));
    return { outputs };
  } catch (error) {
    if (error instanceof JqHalt) return { outputs };
    if (error instanceof JqSyntaxError) return { outputs, error: 'compile' };
    if (!(error instanceof JqError)) throw error;
    return { outputs, error: error.message };
  }
}

/** The outputs as JSON text joined by spaces, with the error at the end: one line to compare. */
export function resultLine(program: string, input: JsonValue = null, options: JqOptions = {}): string {
  const { outputs, error } = runOurJq(program, input, options);
  return [...outputs, ...(error === undefined ? [] : [`!! ${error}`])].join(' ');
}
