import { execFile } from 'node:child_process';
import type { JsonValue } from '../src/value.ts';

/** What a program did: its outputs as JSON text, and the message it ended with, if it failed. */
export interface JqResult {
  readonly outputs: readonly string[];
  readonly error?: string;
}

/** Runs the `jq` on PATH; a program it cannot compile has the error `compile`. */
export async function runRealJq(program: string, input: JsonValue): Promise<JqResult> {
  return new Promise((resolve, reject) => {
    const child = execFile('jq', ['-c', program], { env: { ...process.env, TZ: 'UTC' } }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') {
        reject(new Error(`jq could not be run: ${error.message}`, { cause: error }));
        return;
      }
      const outputs = stdout.split('\n').filter((line) => line !== '');
      const message = errorMessage(stderr);
      resolve(message === undefined ? { outputs } : { outputs, error: message });
    });
    // A program that does not compile ends jq before it reads.
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify(input));
  });
}

function errorMessage(stderr: string): string | undefined {
  if (/compile error/.test(stderr)) return 'compile';
  return /^jq: error \(at [^)]*\)(?:: | )(.*)$/ms.exec(stderr)?.[1]?.trimEnd();
}
