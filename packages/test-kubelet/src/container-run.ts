// The life of one container over all its starts. pod-run.ts calls `supervise`, which starts the container, waits for
// its end, and starts it again with a backoff for as long as the restart policy asks for it. Each change of the state
// (waiting, running, terminated) is reported with `onChange` and becomes a part of the pod's status.
//
// A start that fails with a ContainerConfigError leaves the container waiting and is tried again. While the container
// runs, its postStart hook and probes run (`#tend`). Aborting the signal of `supervise` stops the container with its
// preStop hook and grace period. A failed startup or liveness probe stops it in the same way, and then the restart
// policy decides.

import type { V1Container, V1LifecycleHandler, V1Probe } from '@kubernetes/client-node';
import { exponentialBackoff, type Backoff } from '../../../src/lib/backoff.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { ContainerLog } from './container-log.ts';
import type { Container, Ended } from './container.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { ContainerRecord, ContainerState, Terminated } from './pod-status.ts';
import { httpGet, runProbe } from './probe.ts';

/** Shorter than the 10 s to 5 min of a real kubelet, to keep tests fast. */
const BACKOFF = { initialMs: 1000, maxMs: 10_000 };
/** The backoff of a container is reset after it has run for this long. */
const STABLE_MS = 2 * BACKOFF.maxMs;
const CONFIG_RETRY_MS = 1000;

/**
 * The container cannot be started at the moment, for example because a ConfigMap is missing; the start is tried again.
 */
export class ContainerConfigError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The options of a container's life. */
export interface ContainerRunOptions {
  readonly spec: V1Container;
  readonly role: ContainerRecord['role'];
  /** Starts the container; throws `ContainerConfigError` if that is not possible at the moment. */
  readonly start: (onOutput: (chunk: Uint8Array) => void) => Promise<StartedContainer>;
  readonly events: EventRecorder;
  readonly podName: string;
  readonly address: () => string;
  /** Called after each change of the record. */
  readonly onChange: () => void;
  readonly restarts: (exitCode: number) => boolean;
  /** The grace period if it were stopped now. */
  readonly graceSeconds: () => number;
}

/** A container that has just been started. */
export interface StartedContainer {
  readonly container: Container;
  /** Reads the termination message that the container left. */
  readonly terminationMessage: () => Promise<string>;
}

/** One container of a pod, over all its starts. */
export class ContainerRun {
  readonly log = new ContainerLog();
  readonly #options: ContainerRunOptions;
  readonly #backoff: Backoff = exponentialBackoff(BACKOFF);
  #state: ContainerState = { type: 'waiting', reason: 'ContainerCreating' };
  #lastState: Terminated | undefined;
  #restartCount = 0;
  #ready = false;
  #started = false;
  #containerID: string | undefined;
  #running: Container | undefined;
  #deathReason: string | undefined;

  constructor(options: ContainerRunOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.spec.name;
  }

  get role(): ContainerRecord['role'] {
    return this.#options.role;
  }

  /** The container; undefined while it does not run. */
  get running(): Container | undefined {
    return this.#running;
  }

  get record(): ContainerRecord {
    return {
      container: this.#options.spec,
      role: this.#options.role,
      state: this.#state,
      ...(this.#lastState !== undefined && { lastState: this.#lastState }),
      restartCount: this.#restartCount,
      ready: this.#ready,
      started: this.#started,
      ...(this.#containerID !== undefined && { containerID: this.#containerID }),
    };
  }

  /** Shows the container as waiting, as long as its pod is not ready to start it. */
  hold(reason: string, message?: string): void {
    this.#set({ state: { type: 'waiting', reason, ...(message !== undefined && { message }) } });
  }

  /**
   * Starts the container, and again as often as `restarts` asks for; returns the last exit code, or undefined if
   * `signal` aborted.
   */
  async supervise(signal: AbortSignal): Promise<number | undefined> {
    for (let isFirst = true; ; isFirst = false) {
      const started = await this.#start(signal);
      if (started === undefined) return undefined;
      const ended = await this.#live(started, signal);
      if (signal.aborted) return undefined;
      if (!this.#options.restarts(ended.exitCode)) return ended.exitCode;
      // The first restart has no backoff, as in a real kubelet.
      if (!isFirst) await this.#waitForBackoff(signal);
      if (signal.aborted) return undefined;
      this.#restartCount++;
    }
  }

  /**
   * Stops the container: runs the preStop hook, sends SIGTERM, and SIGKILL after the grace period. Returns when it has
   * ended.
   */
  async stop(graceSeconds: number): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#options.events.event('Normal', 'Killing', `Stopping container ${this.name}`);
    const deadline = Date.now() + graceSeconds * 1000;
    const killer = setTimeout(() => void running.signal('SIGKILL'), graceSeconds * 1000);
    try {
      const { preStop } = this.#options.spec.lifecycle ?? {};
      if (preStop !== undefined && graceSeconds > 0) await this.#handle(preStop, 'PreStop', running, deadline);
      await running.signal('SIGTERM');
      await running.ended;
    } finally {
      clearTimeout(killer);
    }
  }

  /** Sets the reason that the status gives for the container's next end. */
  willEndBy(reason: string): void {
    this.#deathReason = reason;
  }

  /** Kills the container at once. */
  async kill(): Promise<void> {
    await this.#running?.signal('SIGKILL');
  }

  /** Tries to start the container until it succeeds or `signal` aborts. */
  async #start(signal: AbortSignal): Promise<StartedContainer | undefined> {
    const { start, events } = this.#options;
    while (!signal.aborted) {
      try {
        const started = await start((chunk) => this.log.append(chunk));
        events.event('Normal', 'Started', `Started container ${this.name}`);
        return started;
      } catch (error) {
        if (!(error instanceof ContainerConfigError)) throw error;
        this.#set({ state: { type: 'waiting', reason: error.reason, message: error.message } });
        events.event('Warning', 'Failed', `Error: ${error.message}`);
        await sleep(CONFIG_RETRY_MS, signal);
      }
    }
    return undefined;
  }

  async #live({ container, terminationMessage }: StartedContainer, signal: AbortSignal): Promise<Ended> {
    const { spec } = this.#options;
    const startedAt = Date.now();
    const containerID = `local://${crypto.randomUUID().replaceAll('-', '')}`;
    this.#running = container;
    this.#containerID = containerID;
    this.#deathReason = undefined;
    const life = new AbortController();
    const started = spec.startupProbe === undefined;
    this.#set({
      state: { type: 'running', startedAt: timestamp(startedAt) },
      started,
      ready: started && spec.readinessProbe === undefined,
    });
    const tended = this.#tend(container, AbortSignal.any([life.signal, signal]));
    const stop = (): void => void this.stop(this.#options.graceSeconds());
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const ended = await container.ended;
    signal.removeEventListener('abort', stop);
    life.abort();
    await tended;
    this.#running = undefined;
    const terminated = { ...(await this.#lastWords(ended, terminationMessage)), containerID };
    const now = Date.now();
    if (now - startedAt > STABLE_MS) this.#backoff.reset();
    const state = { ...terminated, startedAt: timestamp(startedAt), finishedAt: timestamp(now) };
    this.#set({ state, ready: false, started: false });
    return ended;
  }

  async #lastWords(
    { exitCode, wasStarted }: Ended,
    terminationMessage: () => Promise<string>,
  ): Promise<Pick<Terminated, 'type' | 'exitCode' | 'reason' | 'message'>> {
    if (!wasStarted) return { type: 'terminated', exitCode: 128, reason: 'StartError', message: this.log.tail() };
    const said = await terminationMessage();
    const fallsBack = this.#options.spec.terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0;
    const message = said === '' && fallsBack ? this.log.tail() : said;
    return {
      type: 'terminated',
      exitCode,
      reason: this.#deathReason ?? (exitCode === 0 ? 'Completed' : 'Error'),
      ...(message !== '' && { message }),
    };
  }

  /** Runs the postStart hook and the probes, until `signal` aborts. */
  async #tend(container: Container, signal: AbortSignal): Promise<void> {
    const { spec } = this.#options;
    const { postStart } = spec.lifecycle ?? {};
    if (postStart !== undefined) {
      const isDone = await this.#handle(postStart, 'PostStart', container, Infinity);
      if (!isDone) await container.signal('SIGKILL');
    }
    if (spec.startupProbe !== undefined) await this.#startUp(spec.startupProbe, container, signal);
    await Promise.all([
      this.#probe(spec.readinessProbe, 'Readiness', container, {
        signal,
        onChange: (problem) => this.#set({ ready: problem === undefined }),
      }),
      this.#probe(spec.livenessProbe, 'Liveness', container, {
        signal,
        onChange: (problem) => {
          if (problem !== undefined) void this.#restart(spec.livenessProbe);
        },
      }),
    ]);
  }

  async #startUp(probe: V1Probe, container: Container, signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    await this.#probe(probe, 'Startup', container, {
      signal: AbortSignal.any([signal, done.signal]),
      onChange: (problem) => {
        done.abort();
        if (problem === undefined) this.#set({ started: true, ready: this.#options.spec.readinessProbe === undefined });
        else void this.#restart(probe);
      },
    });
  }

  async #probe(
    probe: V1Probe | undefined,
    name: string,
    container: Container,
    options: { readonly signal: AbortSignal; readonly onChange: (problem: string | undefined) => void },
  ): Promise<void> {
    if (probe === undefined) return;
    const probed = { spec: this.#options.spec, container, address: this.#options.address() };
    await runProbe(probe, probed, {
      signal: options.signal,
      onChange: (problem) => {
        if (problem !== undefined) {
          this.#options.events.event('Warning', 'Unhealthy', `${name} probe failed: ${problem}`);
        }
        options.onChange(problem);
      },
    });
  }

  async #restart(probe: V1Probe | undefined): Promise<void> {
    await this.stop(probe?.terminationGracePeriodSeconds ?? this.#options.graceSeconds());
  }

  /** Runs a lifecycle hook until `deadline` (milliseconds since the epoch); returns whether it succeeded. */
  async #handle(handler: V1LifecycleHandler, name: string, container: Container, deadline: number): Promise<boolean> {
    const leftMs = Math.min(deadline - Date.now(), MAX_HOOK_MS);
    const problem = await this.#tryHandle(handler, container, leftMs).catch(String);
    if (problem !== undefined) this.#options.events.event('Warning', `Failed${name}Hook`, problem);
    return problem === undefined;
  }

  async #tryHandle(handler: V1LifecycleHandler, container: Container, leftMs: number): Promise<string | undefined> {
    const { spec, address } = this.#options;
    if (handler.sleep !== undefined) {
      await Promise.race([sleep(handler.sleep.seconds * 1000, new AbortController().signal), container.ended]);
      return undefined;
    }
    if (handler.httpGet !== undefined) {
      return httpGet(handler.httpGet, { spec, container, address: address() }, leftMs);
    }
    const { exitCode, stderr } = await container.exec(handler.exec?.command ?? ['true'], {
      timeoutSeconds: leftMs / 1000,
    });
    return exitCode === 0 ? undefined : `command exited with ${exitCode}: ${stderr.trim()}`;
  }

  async #waitForBackoff(signal: AbortSignal): Promise<void> {
    const delayMs = this.#backoff.next();
    const message = `back-off ${delayMs / 1000}s restarting failed container=${this.name} pod=${this.#options.podName}`;
    const lastState = this.#state;
    this.#set({
      state: { type: 'waiting', reason: 'CrashLoopBackOff', message },
      ...(lastState.type === 'terminated' && { lastState }),
    });
    this.#options.events.event('Warning', 'BackOff', `Back-off restarting failed container ${this.name}`);
    await sleep(delayMs, signal);
  }

  #set(change: {
    readonly state?: ContainerState;
    readonly lastState?: Terminated;
    readonly ready?: boolean;
    readonly started?: boolean;
  }): void {
    if (change.state?.type === 'running' && this.#state.type === 'terminated') this.#lastState = this.#state;
    this.#state = change.state ?? this.#state;
    this.#lastState = change.lastState ?? this.#lastState;
    this.#ready = change.ready ?? this.#ready;
    this.#started = change.started ?? this.#started;
    this.#options.onChange();
  }
}

const MAX_HOOK_MS = 600_000;

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
