/*
 * The last line of defense against a transport that hangs through a fault of ours or of a library. It wraps a
 * `Transport` and observes from outside, every 5 s while requests or responses are open, whether anything arrives for
 * them. If not, it fails all of them itself, discards the transport with its connections, and creates a new one.
 * `createKubeClient` installs it, and every request passes through it. It must not depend on the transport for
 * anything: it races each request against its own abort, and a pause of the whole process must not count as silence.
 */

import { KubeError } from '../../errors.ts';
import { abortable } from '../../lib/abortable.ts';
import type { TlsOptions } from './tls-options.ts';
import { Deafness, type Use } from './deafness.ts';
import type { Carrier, HttpRequest, HttpResponse } from './http.ts';
import type { Transport } from './transport.ts';

/** How often the silence is measured while anything is in flight. */
const LOOK_MS = 5000;

export interface LastLineOptions {
  readonly create: () => Transport;
  /** Called when all connections were discarded after a silence that nothing explains. */
  readonly onReplaced?: ((silentMs: number) => void) | undefined;
}

/** Returns a transport that replaces the one from `create` when it falls silent. */
export function withLastLine(options: LastLineOptions): Transport {
  return new LastLine(options);
}

/** One transport and the requests and responses that use it. */
interface Generation {
  readonly transport: Transport;
  readonly deafness: Deafness;
  /** Aborts each request and response when the transport is replaced; cheaper than `AbortSignal.any` for each. */
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
      // Raced here: a transport that ignores its signal is one of the faults this file guards against.
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
    // After a pause of this process, data that waits in sockets is read first.
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
    const error = Object.assign(new Error(`nothing was received for ${seconds} s`), { code: 'ETIMEDOUT' });
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

/** The response, changed to end also when the transport is replaced. */
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
