import { KubeError } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import type { TlsOptions } from './tls-options.ts';
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
  /** What ends each request and response with the transport; cheaper for each than a signal made of two. */
  readonly ends: Set<AbortController>;
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
    const { transport, deafness, ends } = this.#current;
    let carrier: Carrier | undefined;
    const onCarried = (found: Carrier): void => {
      carrier = found;
      request.onCarried?.(found);
    };
    const use = useOf('request', () => carrier);
    const end = new AbortController();
    const abort = (): void => end.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    ends.add(end);
    deafness.begin(use);
    this.#watch();
    try {
      // Not left to the transport: that it heeds its signal is part of what is watched.
      const response = await abortable(transport.send({ ...request, onCarried }, tls, end.signal), end.signal);
      deafness.settled(use);
      return guarded(response, { deafness, ends }, end);
    } catch (error) {
      ends.delete(end);
      if (signal.aborted) deafness.left(use, signal.reason instanceof KubeError);
      else deafness.settled(use);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#current.transport.close();
  }

  #create(): Generation {
    return { transport: this.#options.create(), deafness: new Deafness(), ends: new Set() };
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
    const { transport, ends } = this.#current;
    this.#current = this.#create();
    const seconds = Math.round(silentMs / 1000);
    const error = Object.assign(new Error(`nothing was heard for ${seconds} s`), { code: 'ETIMEDOUT' });
    for (const end of ends) end.abort(error);
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

/** The response, which ends also when the whole transport is given up. */
function guarded(
  response: HttpResponse,
  { deafness, ends }: Pick<Generation, 'deafness' | 'ends'>,
  end: AbortController,
): HttpResponse {
  const { carrier } = response;
  const watch = useOf('watch', () => carrier);
  const lose = (): void => end.abort(carrier.lost.reason);
  carrier.lost.addEventListener('abort', lose, { once: true });
  if (carrier.lost.aborted) lose();
  deafness.begin(watch);
  return {
    ...response,
    carrier: {
      silentForMs: () => carrier.silentForMs(),
      lost: end.signal,
      isPinged: carrier.isPinged,
      distrust: () => carrier.distrust?.(),
      ...(carrier.onBytes === undefined ? {} : { onBytes: carrier.onBytes.bind(carrier) }),
    },
    done: () => {
      carrier.lost.removeEventListener('abort', lose);
      ends.delete(end);
      deafness.left(watch, false);
      response.done?.();
    },
  };
}
