import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { killGroup } from './kill-group.ts';
import { encodeMessage, MessageReader } from './messages.ts';
import { killOrphans } from './orphans.ts';
import type {
  Exit,
  OutputLine,
  SpawnerReport,
  SpawnerRequest,
  SpawnerSettings,
  SpawnRequest,
} from './spawner-protocol.ts';

const CLOSE_MARGIN_MS = 2000;
// It makes little garbage and works in one thread: a quarter less memory, and the less it has the faster it forks.
const NODE_FLAGS = ['--max-semi-space-size=1', '--single-threaded'];

export interface SpawnerLinkOptions {
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: SpawnerSettings;
}

/** A process the spawner was asked to start. */
export interface SpawnedProcess {
  /** Never rejects: what went wrong is in the exit. */
  readonly exit: Promise<Exit>;
  /** SIGTERM to its group, and SIGKILL after the grace period. */
  terminate(): void;
  /** Gives a process that lives on its whole output limit again. */
  refill(): void;
}

interface PendingRun {
  readonly onLine: (line: OutputLine) => void;
  readonly settle: (exit: Exit) => void;
  pid?: number;
}

/** One spawner process and the runs it has in hand. */
export class SpawnerLink {
  /** Resolves with how it ended, after its runs were killed and told so. */
  readonly ended: Promise<string>;
  readonly #options: SpawnerLinkOptions;
  readonly #child: ChildProcess;
  readonly #channel: Socket | undefined;
  readonly #runs = new Map<number, PendingRun>();
  #nextId = 1;
  #isAlive = true;
  #wasReady = false;

  constructor(options: SpawnerLinkOptions) {
    this.#options = options;
    this.#child = spawn(process.execPath, [...NODE_FLAGS, options.entry, JSON.stringify(options.settings)], {
      env: { ...options.env },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    const channel = this.#child.stdio[3];
    this.#channel = channel instanceof Socket ? channel : undefined;
    this.#listen();
    this.ended = this.#awaitEnd();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether it got as far as taking requests: one that did not would fail the same way again. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  start(request: SpawnRequest, onLine: (line: OutputLine) => void): SpawnedProcess {
    const id = this.#nextId++;
    const exit = new Promise<Exit>((resolve) => {
      this.#runs.set(id, { onLine, settle: resolve });
    });
    this.#send({ type: 'spawn', id, ...request });
    return {
      exit,
      terminate: () => this.#send({ type: 'terminate', id }),
      refill: () => this.#send({ type: 'refill', id }),
    };
  }

  /** Ends the process and what it still runs. */
  async close(): Promise<void> {
    this.#channel?.end();
    const limitMs = this.#options.settings.graceMs + CLOSE_MARGIN_MS;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), limitMs);
    await this.ended;
    clearTimeout(timer);
  }

  #send(request: SpawnerRequest): void {
    if (this.#channel?.writable === true) this.#channel.write(encodeMessage(request));
  }

  #listen(): void {
    const reader = new MessageReader<SpawnerReport>((report) => this.#handle(report));
    this.#channel?.on('data', (chunk) => reader.push(chunk));
    // A broken connection ends the child, and that is handled.
    this.#channel?.on('error', () => {});
  }

  #handle(report: SpawnerReport): void {
    if (report.type === 'ready') {
      this.#wasReady = true;
      return;
    }
    const run = this.#runs.get(report.id);
    if (run === undefined) return;
    switch (report.type) {
      case 'started':
        run.pid = report.pid;
        break;
      case 'output':
        for (const line of report.lines) run.onLine(line);
        break;
      case 'exit':
        this.#runs.delete(report.id);
        run.settle(report.exit);
    }
  }

  async #awaitEnd(): Promise<string> {
    const reason = await new Promise<string>((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      // `close`, not `exit`: its last reports may still be on their way.
      this.#child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    this.#isAlive = false;
    for (const { pid } of this.#runs.values()) killGroup(pid, 'SIGKILL');
    if (this.#runs.size > 0) killOrphans(this.#options.settings.folder);
    for (const { settle } of this.#runs.values()) settle(lostRun(reason));
    this.#runs.clear();
    return reason;
  }
}

function lostRun(reason: string): Exit {
  const message = `the spawner process ended (${reason}) during the run`;
  return { timedOut: false, isLost: true, startError: { code: '', message }, stdout: '', stderr: '', usage: {} };
}
