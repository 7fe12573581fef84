import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { resolveWorkOptions } from '../../src/cli/options/work-options.ts';
import { version } from '../../src/cli/program/version.ts';
import type { WorkerTimes } from '../../src/cli/work/times.ts';
import { work } from '../../src/cli/work/work.ts';
import { HooksDigest } from '../../src/hook/hooks-digest.ts';
import type { RemoteLine, RemoteResult, RemoteRun } from '../../src/hook/remote-run.ts';
import { parseLines } from '../../src/hook/remote-wire.ts';
import { parseResult } from '../../src/hook/result-wire.ts';
import type { HandedRun, HeldRun, RunToEnd, WorkerHello } from '../../src/hook/work-desk.ts';
import { encodeEnds, encodeRuns, encodeTerms, parseBeat, parseHello } from '../../src/hook/work-wire.ts';
import { parseWorkPath, type WorkPath } from '../../src/hook/work-path.ts';
import { temporaryFolder } from './hook-rig.ts';
import { certificate } from './job-rig.ts';
import { startProgram, type Program } from './program.ts';
import { recordingLogger } from './recording-logger.ts';
import type { TestCertificate } from './certificate.ts';

/** A request to the fake operator, whole. */
export interface Asked {
  readonly path: WorkPath;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Answered {
  readonly status: number;
  readonly body?: string | readonly Uint8Array[];
}

export interface OperatorOptions {
  readonly beatMs?: number;
  readonly silenceMs?: number;
  readonly certificate?: TestCertificate;
  /** Answers in place of the operator; undefined: as it would. */
  readonly instead?: (asked: Asked, stream: ServerHttp2Stream) => Answered | 'nothing' | undefined;
}

/** The results and lines of one run. */
export interface Seen {
  readonly lines: RemoteLine[];
  readonly results: RemoteResult[];
}

/** An operator with TLS and HTTP/2 which hands out what a test gives it, and says what it got. */
export class FakeOperator {
  readonly options: OperatorOptions;
  readonly happened: string[] = [];
  readonly hellos: WorkerHello[] = [];
  readonly beats: (readonly HeldRun[])[] = [];
  readonly tokens = new Set<string>();
  readonly frees: number[] = [];
  /** How many requests for runs are held now. */
  claiming = 0;
  /** Why it does not answer; undefined while it leads. */
  refusal: string | undefined;
  /** Whether it knows the worker that it named last. */
  worker: string | undefined;
  readonly #waiting: HandedRun[] = [];
  readonly #contexts = new Map<string, readonly Uint8Array[]>();
  readonly #ends: RunToEnd[] = [];
  readonly #seen = new Map<string, Seen>();
  #wake: (() => void)[] = [];

  constructor(options: OperatorOptions) {
    this.options = options;
  }

  /** Hands a run out; `isInline` false: its contexts are to be fetched. */
  hand(
    run: RemoteRun,
    { epoch = 1, env, contexts, isInline = true }: Partial<HandedRun> & { isInline?: boolean } = {},
  ): void {
    const pieces = contexts ?? [Buffer.from('[{"binding":"x"}]')];
    const contextBytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#contexts.set(run.runId, pieces);
    const handed = { run: { ...run, contextBytes }, epoch, ...(env && { env }) };
    this.#waiting.push(isInline ? { ...handed, contexts: pieces } : handed);
    this.#ring();
  }

  /** Tells the worker by `ends`. */
  end(end: RunToEnd): void {
    this.#ends.push(end);
    this.#ring();
  }

  of(runId: string): Seen {
    const seen = this.#seen.get(runId) ?? { lines: [], results: [] };
    this.#seen.set(runId, seen);
    return seen;
  }

  #ring(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const one of wake) one();
  }

  async answer(asked: Asked, closed: Promise<void>): Promise<Answered> {
    const { path, body } = asked;
    this.tokens.add(String(asked.headers.authorization));
    if (this.refusal !== undefined) return { status: 503, body: this.refusal };
    if (path.type === 'hello') return this.#hello(body);
    if (path.worker !== this.worker) return { status: 404, body: 'no such worker' };
    return this.#ofWorker(asked, path, closed);
  }

  async #ofWorker(
    { body, query }: Asked,
    path: Exclude<WorkPath, { readonly type: 'hello' }>,
    closed: Promise<void>,
  ): Promise<Answered> {
    switch (path.type) {
      case 'leave':
        this.happened.push('leave');
        this.worker = undefined;
        return { status: 200 };
      case 'beat':
        return this.#beat(body);
      case 'ends':
        if (this.#ends.length === 0) await Promise.race([this.#rung(), closed]);
        return { status: 200, body: encodeEnds(this.#ends.splice(0)) };
      case 'claim':
        return this.#claim(Number(query.get('free')), closed);
      case 'contexts':
      case 'output':
      case 'result':
        return this.#ofRun(path, body);
    }
  }

  #hello(body: Buffer): Answered {
    const hello = parseHello(body.toString());
    if (hello.type === 'wrong') return { status: 400, body: hello.problem };
    this.hellos.push(hello.value);
    this.happened.push('hello');
    this.worker = `worker-${this.hellos.length}`;
    const { beatMs = 100, silenceMs = 15_000 } = this.options;
    return { status: 200, body: encodeTerms({ worker: this.worker, beatMs, silenceMs }) };
  }

  /** What is to be ended by the next beats. */
  endsByBeat: readonly RunToEnd[] = [];

  #beat(body: Buffer): Answered {
    const beat = parseBeat(body.toString());
    if (beat.type === 'wrong') return { status: 400, body: beat.problem };
    this.beats.push(beat.value);
    return { status: 200, body: encodeEnds(this.endsByBeat) };
  }

  async #claim(free: number, closed: Promise<void>): Promise<Answered> {
    this.frees.push(free);
    let isClosed = false;
    this.claiming += 1;
    void closed.then(() => (isClosed = true));
    while (this.#waiting.length === 0 && !isClosed) await Promise.race([this.#rung(), closed]);
    this.claiming -= 1;
    if (isClosed) return { status: 200 };
    const runs = this.#waiting.splice(0, free);
    for (const { run } of runs) this.happened.push(`claim ${run.runId}`);
    return { status: 200, body: encodeRuns(runs) };
  }

  #ofRun(path: Extract<WorkPath, { readonly runId: string }>, body: Buffer): Answered {
    this.happened.push(`${path.type} ${path.runId}`);
    if (path.type === 'contexts') return { status: 200, body: this.#contexts.get(path.runId) ?? [] };
    if (path.type === 'output') {
      const lines = parseLines(body.toString());
      if (lines.type === 'read') this.of(path.runId).lines.push(...lines.value);
      return { status: lines.type === 'read' ? 200 : 400 };
    }
    const result = parseResult(body);
    if (result.type === 'read') this.of(path.runId).results.push(result.value);
    return { status: result.type === 'read' ? 200 : 400 };
  }

  async #rung(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake.push(resolve);
    });
  }
}

/** Opens a fake operator, closed at the end of the test. */
export async function openOperator(options: OperatorOptions = {}) {
  const operator = new FakeOperator(options);
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({ ...(options.certificate ?? certificate) });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => void serve(operator, stream, headers));
  server.on('sessionError', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    for (const session of sessions) session.destroy();
  };
  const close = (): void => {
    cut();
    server.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return Object.assign(operator, {
    url: `https://127.0.0.1:${port}`,
    port,
    cut,
    close,
    sessions,
    renew: (next: TestCertificate) => server.setSecureContext({ ...next }),
  });
}

async function serve(operator: FakeOperator, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  stream.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  await Promise.race([
    closed,
    new Promise<void>((resolve) => {
      stream.once('end', resolve);
    }),
  ]);
  const url = new URL(String(headers[':path']), 'https://operator');
  const path = parseWorkPath(url.pathname);
  if (path === undefined) {
    stream.respond({ ':status': 404 }, { endStream: true });
    return;
  }
  const asked = { path, query: url.searchParams, headers, body: Buffer.concat(pieces) };
  const { instead } = operator.options;
  const answer = instead?.(asked, stream) ?? (await operator.answer(asked, closed));
  if (answer === 'nothing' || stream.destroyed) return;
  stream.respond({ ':status': answer.status });
  const { body = '' } = answer;
  for (const piece of typeof body === 'string' ? [body] : body) stream.write(piece);
  stream.end();
}

export const SHELL = '#!/bin/sh\n';

/** A folder with hooks, and a worker that has them. */
export function workerRig(hooks: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const hooksDir = join(folder.path, 'hooks');
  mkdirSync(hooksDir);
  const write = (name: string, text: string): void => writeFileSync(join(hooksDir, name), text, { mode: 0o755 });
  for (const [name, text] of Object.entries(hooks)) write(name, text);
  const tokenFile = join(folder.path, 'token');
  writeFileSync(tokenFile, 'token-1\n');
  const caFile = join(folder.path, 'ca.crt');
  writeFileSync(caFile, certificate.cert);
  const env = (urls: readonly string[], capacity: number) => ({
    HOOKLET_OPERATOR: urls.join(','),
    HOOKLET_TOKEN_FILE: tokenFile,
    HOOKLET_CA_FILE: caFile,
    HOOKLET_HOOKS_DIR: hooksDir,
    HOOKLET_TMP_DIR: join(folder.path, 'tmp'),
    HOOKLET_LISTEN_ADDRESS: '127.0.0.1',
    HOOKLET_LISTEN_PORT: '0',
    HOOKLET_CAPACITY: String(capacity),
    GO: folder.path,
  });
  const runOf = (runId: string, name: string, more: Partial<RemoteRun> = {}): RemoteRun => ({
    runId,
    attempt: 1,
    hook: name,
    hookHash: createHash('sha256')
      .update(readFileSync(join(hooksDir, name)))
      .digest('hex'),
    type: name.endsWith('.sh') ? 'process' : 'warm',
    plainExitCodes: false,
    contextBytes: 0,
    ...more,
  });
  return {
    path: folder.path,
    hooksDir,
    tokenFile,
    caFile,
    write,
    runOf,
    digest: async () => new HooksDigest({ hooksDir, version }).current(),
    /** Lets hooks that wait for a file in `$GO` go on. */
    letGo: (name: string) => writeFileSync(join(folder.path, name), ''),
    /** A worker in this process; it is ended, and waited for, at the end of the test. */
    work(
      urls: string | readonly string[],
      given: { capacity?: number; drainLimitMs?: number; times?: Partial<WorkerTimes> } = {},
    ) {
      const { capacity = 4, drainLimitMs = 0, times } = given;
      const log = recordingLogger();
      const stop = new AbortController();
      const vars = { ...process.env, ...env([urls].flat(), capacity) };
      const options = { ...resolveWorkOptions({}, vars), drainLimitMs };
      let port = 0;
      const onServed = (served: number): void => void (port = served);
      const quick = { retry: { initialMs: 10, maxMs: 50 }, ...times };
      const ended = work(options, { env: vars, log, stop: stop.signal, times: quick, onServed });
      onTestFinished(async () => {
        stop.abort();
        await ended;
      });
      return {
        log,
        ended,
        stop: () => stop.abort(),
        get: async (path: string) => fetch(`http://127.0.0.1:${port}${path}`),
        messages: () => log.lines.map(({ message }) => message),
      };
    },
    /** `hooklet work` as a process. */
    start: (urls: string | readonly string[], ...flags: readonly string[]): Program =>
      startProgram(['work', ...flags], { env: env([urls].flat(), 4) }),
  };
}

/** Whether a process is there, and not only its exit code. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
