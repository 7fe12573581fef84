import { readFile } from 'node:fs/promises';
import { JqSyntaxError } from '@hooklet/jq';
import { UsageError } from '../../errors.ts';
import { parseJqArguments } from './arguments.ts';
import { JQ_HELP } from './help.ts';
import { EXIT_USAGE, JqSession, type JqIo } from './session.ts';

/**
 * `hooklet jq`: the command line of jq, for hooks and people in images without jq. An invocation parses the arguments,
 * compiles the program with its variables, then runs it once for each input and prints the outputs. A failed input sets
 * the exit code and the next input follows; a parse error of the input or `halt` ends the invocation.
 *
 * What must hold: output, messages and exit codes are those of jq, since hooks check them: 0; 1 and 4 with `-e`; 2
 * wrong usage or unreadable input; 3 a program that does not compile; 5 a failed program. Inputs are read as they come,
 * except for a program that calls `input` or `inputs`: a program runs synchronously, so all inputs are read before.
 */

const EXIT_COMPILE = 3;

/** `hooklet jq` with the streams of this process; resolves to the exit code. */
export async function jqCommand(args: readonly string[]): Promise<number> {
  let pending = '';
  const flush = (): void => {
    if (pending !== '') process.stdout.write(pending);
    pending = '';
  };
  const stdout = (text: string): void => {
    pending += text;
    if (pending.length > 65_536) flush();
  };
  const stderr = (text: string): void => {
    flush();
    process.stderr.write(text);
  };
  try {
    return await runJq(args, { stdin: process.stdin, stdout, stderr, readFile, env: process.env });
  } finally {
    flush();
  }
}

/** Runs jq with these arguments; resolves to jq's exit code. */
export async function runJq(args: readonly string[], io: JqIo): Promise<number> {
  try {
    const parsed = parseJqArguments(args);
    if (!parsed.flags.has('help')) return await new JqSession(parsed, io).run();
    io.stdout(JQ_HELP);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      io.stderr(`${error.message}\n`);
      return EXIT_USAGE;
    }
    if (error instanceof JqSyntaxError) {
      io.stderr(`jq: error: ${error.message}\njq: 1 compile error\n`);
      return EXIT_COMPILE;
    }
    throw error;
  }
}
