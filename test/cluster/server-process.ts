import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { basename, join } from 'node:path';

const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const ANSWER_TIMEOUT_MS = 10_000;
const LOG_TAIL = 3000;

/** A server of the control plane as a process, which never outlives this one. */
export class ServerProcess {
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #log: string;
  #child: ChildProcess | undefined;

  constructor(program: string, args: readonly string[], { logFolder }: { readonly logFolder: string }) {
    this.#program = program;
    this.#args = args;
    this.#log = join(logFolder, `${basename(program)}.log`);
  }

  /** Starts the server, and returns when `readyUrl` answers 200. */
  async start(readyUrl?: string, ca?: () => Promise<string>): Promise<void> {
    const child = spawn(this.#program, this.#args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(this.#log, { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    const endWithUs = (): void => {
      child.kill('SIGKILL');
    };
    process.once('exit', endWithUs);
    child.once('exit', () => {
      process.off('exit', endWithUs);
      log.end();
    });
    await once(child, 'spawn');
    this.#child = child;
    if (readyUrl !== undefined) await this.#waitUntilReady(readyUrl, ca);
  }

  /** The id of the process; undefined when it was never started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Kills the server; does nothing if it does not run. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async #waitUntilReady(url: string, ca: () => Promise<string> = () => Promise.resolve('')): Promise<void> {
    const deadline = Date.now() + READY_TIMEOUT_MS;
    while (Date.now() < deadline) {
      if (this.#child?.exitCode !== null || this.#child.signalCode !== null) break;
      // The server writes its certificate only after it has started.
      const certificate = await ca().catch(() => undefined);
      if (certificate !== undefined && (await answersOk(url, certificate))) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const tail = (await readFile(this.#log, 'utf8').catch(() => '')).slice(-LOG_TAIL);
    throw new Error(`${basename(this.#program)} did not become ready at ${url}; the end of its log:\n${tail}`);
  }
}

async function answersOk(url: string, ca: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const options = { agent: false, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) };
  const sent = url.startsWith('https:') ? requestHttps(url, { ca, ...options }) : requestHttp(url, options);
  sent.on('response', (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  });
  sent.on('error', () => {
    resolve(false);
  });
  sent.end();
  return promise;
}
