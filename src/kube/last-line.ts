import { KubeError } from '../errors.ts';
import { abortable } from '../lib/abortable.ts';
import type { TlsOptions } from './cluster.ts';
import { Deafness, type Use } from './deafness.ts';
import type { Carrier, HttpRequest, HttpResponse } from './http.ts';
import type { Transport } from './transport.ts';

/** How often it is looked at, while anything is under way. */
const LOOK_MS = 5000;

export interface LastLineOptions {
  readonly create: () => Transport;
  /** All connections were thrown away, after a silence that nothing explains. */
  readonly onReplaced?: ((silentMs: number) => void) | undefined;
}

/**
 * The last line against a transport that hangs, by a fault of ours or of a library: it looks from outside whether anything
 * becomes of requests. If not, it fails all of them itself, throws the transport away and creates another.
 */
export function withLastLine(options: LastLineOptions): Transport {
  return new LastLine(options);
}

/** One transport, and what uses it. */
interface Generation {
  readonly transport: Transport;
  readonly deafness: Deafness;
  readonly lost: AbortController;
}

class LastLine implements Transport {
  readonly #options: LastLineOptions;
  #current: Generation;
  #timer: NodeJS.Timeout | undefined;
  #lookedAtMs = 0;

  constructor(options: LastLineOptions) {
    this.#options = options;
    this.#current = this.#create();
  }

  async send(request: HttpRequest, tls: TlsOptions, signal: AbortSignal): Promise<HttpResponse> {
    const generation = this.#current;
    const { transport, deafness, lost } = generation;
    const either = AbortSignal.any([signal, lost.signal]);
    let carrier: Carrier | undefined;
    const onCarried = (found: Carrier): void => {
      carrier = found;
      request.onCarried?.(found);
    };
    const use = useOf('request', () => carrier);
    deafness.begin(use);
    this.#watch();
    try {
      // Not left to the transport: that it heeds its signal is part of what is watched.
      const response = await abortable(transport.send({ ...request, onCarried }, tls, either), either);
      deafness.settled(use);
      return guarded(response, generation);
    } catch (error) {
      if (signal.aborted) deafness.left(use, signal.reason instanceof KubeError);
      else deafness.settled(use);
      throw error;
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#current.transport.close();
  }

  #create(): Generation {
    return { transport: this.#options.create(), deafness: new Deafness(), lost: new AbortController() };
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#lookedAtMs = performance.now();
    // What waits to be read after a pause of this process has its turn first.
    this.#timer = setInterval(() => setImmediate(() => this.#look()), LOOK_MS);
    this.#timer.unref();
  }

  #look(): void {
    const nowMs = performance.now();
    const { deafness } = this.#current;
    const pauseMs = nowMs - this.#lookedAtMs - LOOK_MS;
    if (pauseMs > LOOK_MS) deafness.excuse(pauseMs);
    this.#lookedAtMs = nowMs;
    const silentMs = pauseMs > LOOK_MS ? undefined : deafness.silenceMs(nowMs);
    if (silentMs !== undefined) this.#replace(silentMs);
    if (this.#current.deafness.hasUses) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #replace(silentMs: number): void {
    const { transport, lost } = this.#current;
    this.#current = this.#create();
    const seconds = Math.round(silentMs / 1000);
    lost.abort(Object.assign(new Error(`nothing was heard for ${seconds} s`), { code: 'ETIMEDOUT' }));
    this.#options.onReplaced?.(silentMs);
    transport.close();
  }
}

function useOf(type: Use['type'], carrier: () => Carrier | undefined): Use {
  const sinceMs = performance.now();
  return {
    type,
    sinceMs,
    heardAtMs: () => {
      const found = carrier();
      return found === undefined ? -Infinity : performance.now() - found.silentForMs();
    },
  };
}

/** The response, which ends also when the whole generation is given up. */
function guarded(response: HttpResponse, { deafness, lost }: Generation): HttpResponse {
  const { carrier } = response;
  const watch = useOf('watch', () => carrier);
  deafness.begin(watch);
  return {
    ...response,
    carrier: {
      silentForMs: () => carrier.silentForMs(),
      lost: AbortSignal.any([carrier.lost, lost.signal]),
    },
    done: () => {
      deafness.left(watch, false);
      response.done?.();
    },
  };
}
