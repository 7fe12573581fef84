import type { Registry } from 'prom-client';
import { sleep } from '../lib/sleep.ts';

/** The metrics of the process and of Node, under their usual names. */
export interface ProcessMetrics {
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  /** Begins to collect when the start is over, if nobody has asked before; resolves when `signal` aborts at the latest. */
  run(signal: AbortSignal): Promise<void>;
}

const AFTER_START_MS = 5000;

/** Loads what collects them when it is needed: that takes as long as a tenth of the whole start. */
export function createProcessMetrics(): ProcessMetrics {
  let collecting: Promise<Registry> | undefined;
  const begin = async (): Promise<Registry> =>
    (collecting ??= import('./process-registry.ts').then(({ collectProcess }) => collectProcess()));
  return {
    text: async () => (await begin()).metrics(),
    async run(signal) {
      await sleep(AFTER_START_MS, signal);
      if (!signal.aborted) await begin();
    },
  };
}
