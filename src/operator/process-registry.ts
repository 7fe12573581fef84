import { collectDefaultMetrics, Registry } from 'prom-client';

const HOUR_MS = 3_600_000;

/**
 * Collects the metrics of the process and of Node from now on. Without the distribution of the event loop's delay: to
 * sample it every 10 ms takes more CPU time than all else when idle, and sampled less often it shows its own period as
 * delay. `nodejs_eventloop_lag_seconds` stays.
 */
export function collectProcess(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: HOUR_MS });
  for (const share of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99']) {
    register.removeSingleMetric(`nodejs_eventloop_lag_${share}_seconds`);
  }
  return register;
}
