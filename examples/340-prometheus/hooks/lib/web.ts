import { execFile } from 'node:child_process';

/** What a Prometheus answered; code 0: nothing came back, and `body` says why. */
export interface WebAnswer {
  readonly code: number;
  readonly body: string;
}

const PORT = 9090;
const CALL_SECONDS = 10;
const MAX_BODY = 32 * 1024 * 1024;

/** Asks the Prometheus at an address. */
export async function ask(
  method: 'GET' | 'POST',
  address: string,
  path: string,
  signal: AbortSignal,
): Promise<WebAnswer> {
  const host = address.includes(':') ? `[${address}]` : address;
  const url = `http://${host}:${PORT}${path}`;
  // No ~/.curlrc has a say.
  const args = ['--disable', '--silent', '--show-error', '--noproxy', '*', '--max-time', String(CALL_SECONDS)];
  const options = { maxBuffer: MAX_BODY, signal, timeout: (CALL_SECONDS + 5) * 1000, killSignal: 'SIGKILL' } as const;
  const { promise, resolve } = Promise.withResolvers<WebAnswer>();
  execFile(
    'curl',
    [...args, '--request', method, '--write-out', '\n%{http_code}', url],
    options,
    (error, stdout, stderr) => {
      const end = stdout.lastIndexOf('\n');
      const code = error === null ? Number(stdout.slice(end + 1)) : 0;
      resolve(code > 0 ? { code, body: stdout.slice(0, end) } : { code: 0, body: withoutTime(stderr) || 'no answer' });
    },
  );
  return promise;
}

/** The same failure is the same sentence, however long it took. */
function withoutTime(message: string): string {
  return message.trim().replaceAll(/ after \d+ (?:ms|milliseconds)/g, '');
}
