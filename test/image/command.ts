import { execa } from 'execa';

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program of this machine; resolves to its output, and rejects with the end of the output if the program
 * fails.
 */
export async function command(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { exitCode, stdout, all } = await execa(program, args, { ...options, all: true, reject: false });
  if (exitCode === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${exitCode ?? 'no exit code'}:\n${all.slice(-OUTPUT_TAIL)}`);
}

const OUTPUT_TAIL = 6000;
