import type { V1Container, V1LifecycleHandler, V1Probe } from '@kubernetes/client-node';
import { exponentialBackoff, type Backoff } from '../../../src/lib/backoff.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { ContainerLog } from './container-log.ts';
import type { Container, Ended } from './container.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { ContainerRecord, ContainerState, Terminated } from './pod-status.ts';
import { httpGet, runProbe } from './probe.ts';

/** Shorter than the 10 s to 5 min of a real kubelet, so that tests need not wait. */
const BACKOFF = { initialMs: 1000, maxMs: 10_000 };
/** A container that ran so long starts its back-off anew. */
const STABLE_MS = 2 * BACKOFF.maxMs;
const CONFIG_RETRY_MS = 1000;

/** A container that cannot be started as things are; it is tried again. */
export class ContainerConfigError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What a container's life depends on. */
export interface ContainerRunOptions {
  readonly spec: V1Container;
  readonly role: ContainerRecord['role'];
  /** Starts it; throws `ContainerConfigError` when its spec cannot be carried out as things are. */
  readonly start: (onOutput: (chunk: Uint8Array) => void) => Promise<StartedContainer>;
  readonly events: EventRecorder;
  readonly podName: string;
  readonly address: () => string;
  /** Told of each change of its record. */
  readonly onChange: () => void;
  readonly restarts: (exitCode: number) => boolean;
  /** How long it may take to end when it is stopped now. */
  readonly graceSeconds: () => number;
}

export interface StartedContainer {
  readonly container: Container;
  /** What it left as its last words. */
  readonly terminationMessage: () => Promise<string>;
}

/** The life of one container of a pod over all its starts. */
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

  /** The container, while it runs. */
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

  /** Waits as a container does whose pod is not ready for it. */
  hold(reason: string, message?: string): void {
    this.#set({ state: { type: 'waiting', reason, ...(message !== undefined && { message }) } });
  }

  /** Starts it, and again as often as it has to be; returns its exit code, or undefined when `signal` ended it. */
  async supervise(signal: AbortSignal): Promise<number | undefined> {
    for (let isFirst = true; ; isFirst = false) {
      const started = await this.#start(signal);
      if (started === undefined) return undefined;
      const ended = await this.#live(started, signal);
      if (signal.aborted) return undefined;
      if (!this.#options.restarts(ended.exitCode)) return ended.exitCode;
      // The first restart comes at once, as with a real kubelet.
      if (!isFirst) await this.#waitForBackoff(signal);
      if (signal.aborted) return undefined;
      this.#restartCount++;
    }
  }

  /** The preStop hook, SIGTERM, and after the grace period SIGKILL; returns when it has ended. */
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

  /** What its status gives as the reason of its next end. */
  willEndBy(reason: string): void {
    this.#deathReason = reason;
  }

  /** Kills it at once. */
  async kill(): Promise<void> {
    await this.#running?.signal('SIGKILL');
  }

  /** Tries until it is started or `signal` aborts. */
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

  /** The postStart hook and the probes, while it runs. */
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

  /** Runs a lifecycle hook until `deadline`; returns whether it went well. */
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
