import { killGroup } from './kill-group.ts';
import { type GroupHost, runGroup } from './process-group.ts';
import { RunOutput } from './run-output.ts';
import type { Exit, StartError, SpawnerReport, SpawnerRequest, SpawnerSettings } from './spawner-protocol.ts';
import { messageOf } from '../lib/message-of.ts';

const ORPHAN_GRACE_MS = 1000;

interface ActiveRun {
  readonly controller: AbortController;
  readonly output: RunOutput;
  /** Whether it was killed because the operator was silent. */
  isFenced: boolean;
}

/** The result of a run that the fence killed. */
const FENCED: StartError = {
  code: '',
  message: 'it was killed because the operator stood still for so long that others may lead or hold its lock',
  isShortage: true,
};

/** The runs of the spawner process. */
export class ActiveRuns {
  readonly #settings: SpawnerSettings;
  readonly #host: GroupHost;
  readonly #runs = new Map<number, ActiveRun>();
  #onEmpty: (() => void) | undefined;
  #isForgotten = false;
  #fence: NodeJS.Timeout | undefined;

  constructor(settings: SpawnerSettings, host: Omit<GroupHost, 'graceMs'>) {
    this.#settings = settings;
    // Without an operator nobody waits for a graceful end.
    const graceMs = (): number => (this.#onEmpty === undefined ? settings.graceMs : ORPHAN_GRACE_MS);
    const kill: typeof killGroup = (pid, signal) => killGroup(pid, this.#isForgotten ? 'SIGKILL' : signal);
    const report = (message: SpawnerReport): void => {
      if (!this.#isForgotten) host.report(message);
    };
    this.#host = { ...host, graceMs, kill, report };
  }

  handle(request: Exclude<SpawnerRequest, { readonly type: 'setup' | 'ping' | 'reset' }>): void {
    switch (request.type) {
      case 'spawn':
        this.#spawn(request);
        break;
      case 'terminate':
        this.#runs.get(request.id)?.controller.abort();
        break;
      case 'refill':
        this.#runs.get(request.id)?.output.refill();
        break;
      case 'fence':
        clearTimeout(this.#fence);
        this.#fence = request.leftMs === undefined ? undefined : setTimeout(() => this.#fall(), request.leftMs);
    }
  }

  /** Terminates every run, and calls `onEmpty` once none is left and no pipes are being created. */
  end(onEmpty: () => void): void {
    if (this.#onEmpty !== undefined) return;
    clearTimeout(this.#fence);
    this.#onEmpty = () => void this.#host.pipes.end().then(onEmpty);
    for (const { controller } of this.#runs.values()) controller.abort();
    if (this.#runs.size === 0) this.#onEmpty();
  }

  /** Kills every run at once, and reports nothing more. */
  forget(): void {
    this.#isForgotten = true;
    clearTimeout(this.#fence);
    void this.#host.pipes.end();
    for (const { controller } of this.#runs.values()) controller.abort();
  }

  #fall(): void {
    for (const run of this.#runs.values()) {
      run.isFenced = true;
      run.controller.abort();
    }
  }

  #spawn(request: Extract<SpawnerRequest, { type: 'spawn' }>): void {
    const { id, captureBytes } = request;
    const report = (message: SpawnerReport): void => this.#host.report(message);
    const output = new RunOutput({
      limitBytes: this.#settings.outputLimitBytes,
      ...(captureBytes === undefined ? {} : { captureBytes }),
      onLines: (lines) => report({ type: 'output', id, lines }),
    });
    const run: ActiveRun = { controller: new AbortController(), output, isFenced: false };
    this.#runs.set(id, run);
    const { kill = killGroup } = this.#host;
    const host: GroupHost = { ...this.#host, kill: (pid, signal) => kill(pid, run.isFenced ? 'SIGKILL' : signal) };
    void runGroup(request, host, output, run.controller.signal)
      .catch(describeCrash)
      .then((exit) => {
        this.#runs.delete(id);
        report({ type: 'exit', id, exit: run.isFenced ? { ...exit, isLost: true, startError: FENCED } : exit });
        if (this.#runs.size === 0) this.#onEmpty?.();
      });
  }
}

function describeCrash(error: unknown): Exit {
  const message = messageOf(error);
  return { timedOut: false, startError: { code: '', message, isShortage: true }, stdout: '', stderr: '', usage: {} };
}
