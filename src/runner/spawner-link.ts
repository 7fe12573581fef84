import type { Fence } from '../lib/fence.ts';
import { latch } from '../lib/latch.ts';
import { clearOuterTimeout, setOuterTimeout } from '../lib/outer-time.ts';
import { killGroup } from './kill-group.ts';
import { encodeMessage, MessageReader } from './messages.ts';
import { killOrphans } from './orphans.ts';
import { UNKILLABLE_MS } from './process-group.ts';
import { isHeldByMachine } from './process-state.ts';
import { Pulse } from './pulse.ts';
import { type SpawnerChild, startSpawnerChild } from './spawner-child.ts';
import { readSpawnerReport } from './spawner-report.ts';
import type {
  Exit,
  OutputLine,
  SpawnerReport,
  SpawnerRequest,
  SpawnerSettings,
  SpawnRequest,
} from './spawner-protocol.ts';

const CLOSE_MARGIN_MS = 2000;
// A process that the kernel does not end at once, for example because it waits for a disk, is not waited for.
const KILL_LIMIT_MS = 1000;

export interface SpawnerLinkOptions {
  /** File of the spawner process; default: the one next to this module. */
  readonly entry?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: SpawnerSettings;
}

/** A process that the spawner was asked to start. */
export interface SpawnedProcess {
  /** Never rejects: failures are part of the exit. */
  readonly exit: Promise<Exit>;
  /** Sends SIGTERM to its group, and SIGKILL after the grace period. */
  terminate(): void;
  /** Sends SIGKILL to its group from this process, for a spawner that does not answer. */
  kill(): void;
  /** Restores the full output limit of a process that serves several runs. */
  refill(): void;
}

interface PendingRun {
  readonly onLine: (line: OutputLine) => void;
  readonly settle: (exit: Exit) => void;
  pid?: number;
  /** The timer that gives up the run once it was asked to end. */
  limit?: NodeJS.Timeout;
}

/** The connection to one spawner process, and its runs. */
export class SpawnerLink {
  /** Resolves with the way it ended, after its runs were killed and settled. */
  readonly ended: Promise<string>;
  readonly #options: SpawnerLinkOptions;
  readonly #spawner: SpawnerChild;
  readonly #runs = new Map<number, PendingRun>();
  readonly #pulse = new Pulse();
  readonly #killed = latch();
  #killReason: string | undefined;
  #tick: NodeJS.Timeout | undefined;
  #nextId = 1;
  #isAlive = true;
  #wasReady = false;

  /** Uses a process that is already starting, or starts one. */
  constructor(options: SpawnerLinkOptions, spawner: SpawnerChild = startSpawnerChild(options.env, options.entry)) {
    this.#options = options;
    this.#spawner = spawner;
    this.#listen();
    this.#ask({ type: 'setup', ...options.settings });
    this.ended = this.#awaitEnd();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether it became ready for requests: one that did not would fail the same way again. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** Why nothing can be started at the moment; undefined when the spawner answers. */
  get problem(): string | undefined {
    const { lateMs } = this.#pulse;
    return lateMs === undefined ? undefined : `the spawner process has not answered for ${lateMs / 1000} s`;
  }

  start(request: SpawnRequest, onLine: (line: OutputLine) => void): SpawnedProcess {
    const id = this.#nextId++;
    const { promise: exit, resolve: settle } = latch<Exit>();
    this.#runs.set(id, { onLine, settle });
    // Answered by a report of its start or its exit, within milliseconds.
    this.#ask({ type: 'spawn', id, ...request });
    return {
      exit,
      terminate: () => this.#terminate(id),
      // Only while the run is not settled: after that the pid may belong to another process.
      kill: () => killGroup(this.#runs.get(id)?.pid, 'SIGKILL'),
      refill: () => this.#send({ type: 'refill', id }),
    };
  }

  readonly fence: Fence = (leftMs) => {
    this.#send({ type: 'fence', ...(leftMs !== undefined && { leftMs }) });
  };

  /** Ends the spawner process and everything that it runs. */
  async close(): Promise<void> {
    this.#spawner.channel?.end();
    const { graceMs } = this.#options.settings;
    const limitMs = (this.#runs.size === 0 ? 0 : graceMs) + CLOSE_MARGIN_MS;
    const timer = setOuterTimeout(() => this.#kill(`no end within ${limitMs / 1000} s`), limitMs);
    await this.ended;
    clearOuterTimeout(timer);
  }

  #terminate(id: number): void {
    this.#ask({ type: 'terminate', id });
    const run = this.#runs.get(id);
    if (run === undefined || run.limit !== undefined) return;
    const limitMs = this.#options.settings.graceMs + UNKILLABLE_MS + CLOSE_MARGIN_MS;
    run.limit = setOuterTimeout(
      () => this.#settle(id, lostRun(`the spawner process reported no end within ${limitMs / 1000} s of SIGTERM`)),
      limitMs,
    );
    run.limit.unref();
  }

  /** Sends a request that must be answered soon. */
  #ask(request: SpawnerRequest): void {
    if (this.#pulse.ask()) this.#scheduleTick();
    this.#send(request);
  }

  #scheduleTick(): void {
    clearOuterTimeout(this.#tick);
    if (!this.#isAlive) return;
    this.#tick = setOuterTimeout(() => this.#onTick(), this.#pulse.pauseMs(this.#runs.size));
    this.#tick.unref();
  }

  #onTick(): void {
    const { pid } = this.#spawner.child;
    const advice = this.#pulse.tick(() => pid !== undefined && isHeldByMachine(pid));
    if (advice === 'kill') {
      this.#kill(`no answer for ${(this.#pulse.lateMs ?? 0) / 1000} s`);
      return;
    }
    if (advice === 'ping') this.#send({ type: 'ping' });
    this.#scheduleTick();
  }

  #kill(reason: string): void {
    this.#killReason ??= reason;
    this.#spawner.child.kill('SIGKILL');
    const timer = setOuterTimeout(() => this.#killed.resolve(), KILL_LIMIT_MS);
    void this.#spawner.ended.then(() => clearOuterTimeout(timer));
  }

  #send(request: SpawnerRequest): void {
    const { channel } = this.#spawner;
    if (channel?.writable === true) channel.write(encodeMessage(request));
  }

  #listen(): void {
    const reader = new MessageReader<SpawnerReport>({
      parse: readSpawnerReport,
      onMessage: (report) => this.#handle(report),
      onBad: (reason) => this.#kill(`it sent an invalid report, ${reason}`),
    });
    this.#spawner.channel?.on('data', (chunk) => {
      this.#pulse.hear();
      reader.push(chunk);
    });
  }

  #handle(report: SpawnerReport): void {
    if (report.type === 'ready') this.#wasReady = true;
    if (!('id' in report)) return;
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
        this.#settle(report.id, report.exit);
    }
  }

  #settle(id: number, exit: Exit): void {
    const run = this.#runs.get(id);
    this.#runs.delete(id);
    clearOuterTimeout(run?.limit);
    run?.settle(exit);
  }

  async #awaitEnd(): Promise<string> {
    const ended = await Promise.race([this.#killed.promise, this.#spawner.ended]);
    const reason = this.#killReason ?? ended ?? '';
    this.#isAlive = false;
    clearOuterTimeout(this.#tick);
    this.#spawner.channel?.destroy();
    for (const { pid } of this.#runs.values()) killGroup(pid, 'SIGKILL');
    if (this.#runs.size > 0) killOrphans(this.#options.settings.folder);
    for (const id of this.#runs.keys()) this.#settle(id, lostRun(`the spawner process ended (${reason})`));
    return reason;
  }
}

function lostRun(reason: string): Exit {
  const message = `${reason} during the run`;
  return {
    timedOut: false,
    isLost: true,
    startError: { code: '', message, isShortage: true },
    stdout: '',
    stderr: '',
    usage: {},
  };
}
