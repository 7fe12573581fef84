import { latch } from '../lib/latch.ts';
import { killGroup } from './kill-group.ts';
import { encodeMessage, MessageReader } from './messages.ts';
import { killOrphans } from './orphans.ts';
import { type SpawnerChild, startSpawnerChild } from './spawner-child.ts';
import type {
  Exit,
  OutputLine,
  SpawnerReport,
  SpawnerRequest,
  SpawnerSettings,
  SpawnRequest,
} from './spawner-protocol.ts';

const CLOSE_MARGIN_MS = 2000;

export interface SpawnerLinkOptions {
  /** File of the spawner process; default the one beside this module. */
  readonly entry?: string | undefined;
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
  readonly #spawner: SpawnerChild;
  readonly #runs = new Map<number, PendingRun>();
  #nextId = 1;
  #isAlive = true;
  #wasReady = false;

  /** Takes over a process that is on its way up already, or starts one. */
  constructor(options: SpawnerLinkOptions, spawner: SpawnerChild = startSpawnerChild(options.env, options.entry)) {
    this.#options = options;
    this.#spawner = spawner;
    this.#listen();
    this.#send({ type: 'setup', ...options.settings });
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
    const { promise: exit, resolve: settle } = latch<Exit>();
    this.#runs.set(id, { onLine, settle });
    this.#send({ type: 'spawn', id, ...request });
    return {
      exit,
      terminate: () => this.#send({ type: 'terminate', id }),
      refill: () => this.#send({ type: 'refill', id }),
    };
  }

  /** Ends the process and what it still runs. */
  async close(): Promise<void> {
    this.#spawner.channel?.end();
    const limitMs = this.#options.settings.graceMs + CLOSE_MARGIN_MS;
    const timer = setTimeout(() => this.#spawner.child.kill('SIGKILL'), limitMs);
    await this.ended;
    clearTimeout(timer);
  }

  #send(request: SpawnerRequest): void {
    const { channel } = this.#spawner;
    if (channel?.writable === true) channel.write(encodeMessage(request));
  }

  #listen(): void {
    const reader = new MessageReader<SpawnerReport>((report) => this.#handle(report));
    this.#spawner.channel?.on('data', (chunk) => reader.push(chunk));
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
    const reason = await this.#spawner.ended;
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
