import { spawn } from 'node:child_process';
import { keepBeginning, keepMatches, type Keep } from './keep.ts';

/** What a Prometheus answered; code 0: nothing came back, and `body` says why. */
export interface WebAnswer {
  readonly code: number;
  readonly body: string;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly address: string;
  readonly path: string;
  /** Of each line the beginning that this finds is the answer; by default all that comes is. */
  readonly lines?: RegExp;
}

const PORT = 9090;
const CALL_SECONDS = 10;
const MAX_READ = 64 * 1024 * 1024;

/** Asks a Prometheus, reads no more than 64 MiB of what it says, and keeps no more than 4 MiB of that. */
export async function ask({ method, address, path, lines }: Question, signal: AbortSignal): Promise<WebAnswer> {
  const host = address.includes(':') ? `[${address}]` : address;
  const url = `http://${host}:${PORT}${path}`;
  // No ~/.curlrc has a say.
  const args = ['--disable', '--silent', '--show-error', '--noproxy', '*', '--max-time', String(CALL_SECONDS)];
  const more = ['--max-filesize', String(MAX_READ), '--request', method, '--write-out', '%{stderr}%{http_code}'];
  const body = lines === undefined ? keepBeginning() : keepMatches(lines);
  const said = keepBeginning();
  const { promise, resolve } = Promise.withResolvers<number>();
  const timeout = (CALL_SECONDS + 5) * 1000;
  const curl = spawn('curl', [...args, ...more, url], { signal, timeout, killSignal: 'SIGKILL' });
  const read = (keep: Keep) => {
    let bytes = 0;
    return (chunk: Buffer): void => {
      keep.add(chunk);
      // A body in chunks tells no length before.
      if ((bytes += chunk.length) > MAX_READ) curl.kill('SIGKILL');
    };
  };
  curl.stdout.on('data', read(body));
  curl.stderr.on('data', read(said));
  curl.on('error', ({ message }) => said.add(Buffer.from(message)));
  curl.on('close', (code) => resolve(code ?? -1));
  const code = (await promise) === 0 ? Number(said.text()) : 0;
  return code > 0 ? { code, body: body.text() } : { code: 0, body: withoutTime(said.text()) || 'no answer' };
}

/** The same failure is the same sentence, however long it took. */
function withoutTime(message: string): string {
  return message
    .trim()
    .replace(/\n\d{3}$/, '')
    .replaceAll(/ after \d+ (?:ms|milliseconds)/g, '')
    .replaceAll(/ with \d+ (?:out of \d+ )?bytes received/g, '');
}
