import { sleep } from '../lib/sleep.ts';

/** The metrics of the process and of Node, under their usual names. */
export interface ProcessMetrics {
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  /** Begins to collect when the start is over, if nobody has asked before; resolves when `signal` aborts at the latest. */
  run(signal: AbortSignal): Promise<void>;
}

const AFTER_START_MS = 5000;
const HOUR_MS = 3_600_000;

/** Loads what collects them when it is needed: that takes as long as a tenth of the whole start. */
export function createProcessMetrics(): ProcessMetrics {
  let collecting: ReturnType<typeof collect> | undefined;
  const begin = async (): ReturnType<typeof collect> => (collecting ??= collect());
  return {
    text: async () => (await begin()).metrics(),
    async run(signal) {
      await sleep(AFTER_START_MS, signal);
      if (!signal.aborted) await begin();
    },
  };
}

/**
 * Without the distribution of the event loop's delay: to sample it every 10 ms takes more CPU time than all else when
 * idle, and sampled less often it shows its own period as delay. `nodejs_eventloop_lag_seconds` stays.
 */
async function collect() {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: HOUR_MS });
  for (const share of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']) {
    register.removeSingleMetric(`nodejs_eventloop_lag_${share}_seconds`);
  }
  return register;
}
