import { asJsonObject, text } from '../../kube/object.ts';
import { converterBundle, registeredConfig, type CrdConversion } from './crd-conversion.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** The converter of another installation, as the API server calls it. */
export interface RivalConverter {
  /** Without `caBundle`. */
  readonly clientConfig: JsonObject;
  /** As PEM; empty where there is none. */
  readonly bundle: string;
}

export interface RivalsOptions {
  /** Whether a converter answers, as far as it is known. */
  readonly answers: (converter: RivalConverter, signal: AbortSignal) => Promise<boolean>;
  /** Milliseconds that never jump. */
  readonly monotonicMs: () => number;
}

/** How long the converter of another installation must not answer until it is replaced. */
export const GONE_MS = 30_000;
/** How often it is asked. */
export const ASK_MS = 10_000;

interface Asked {
  /** Of the converter. */
  readonly place: string;
  readonly atMs: number;
  /** Since when it has not answered; undefined: it answers. */
  readonly silentSinceMs: number | undefined;
}

/**
 * Whether the converter of another installation may be replaced. One that answers may not, or the two would take turns;
 * one that has not answered for 30 s is gone, such as after a move to another namespace.
 */
export class Rivals {
  readonly #options: RivalsOptions;
  #asked: Asked | undefined;

  constructor(options: RivalsOptions) {
    this.#options = options;
  }

  /** Asks the converter that is registered, at most once in 10 s. */
  async isGone(found: CrdConversion, signal: AbortSignal): Promise<boolean> {
    const { answers, monotonicMs } = this.#options;
    const clientConfig = registeredConfig(found);
    const place = JSON.stringify(clientConfig);
    const before = this.#asked?.place === place ? this.#asked : undefined;
    const nowMs = monotonicMs();
    if (before === undefined || nowMs - before.atMs >= ASK_MS) {
      const isThere = await answers({ clientConfig, bundle: converterBundle(found) }, signal);
      const silentSinceMs = isThere ? undefined : (before?.silentSinceMs ?? nowMs);
      this.#asked = { place, atMs: nowMs, silentSinceMs };
    }
    const silentSinceMs = this.#asked?.silentSinceMs;
    return silentSinceMs !== undefined && nowMs - silentSinceMs >= GONE_MS;
  }
}

/** Where a converter is, for people. */
export function placeOfConverter(clientConfig: JsonObject): string {
  const { namespace, name } = asJsonObject(clientConfig['service']);
  return text(name) === '' ? text(clientConfig['url']) : `Service ${text(namespace)}/${text(name)}`;
}
