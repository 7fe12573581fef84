import type { MetricRegistry } from '../lib/metric-registry.ts';
import { SHORT_SECONDS } from './buckets.ts';

const REQUEST_SECONDS = [...SHORT_SECONDS, 20, 50];
const LIMITER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LATENCY_LABELS = ['verb', 'url', 'component'] as const;
const REQUEST_LABELS = ['code', 'method', 'host', 'component'] as const;

/** The metrics of requests to the API server. */
export function clientMetrics(registry: MetricRegistry) {
  const { counter, histogram, beginningWith } = registry;
  const [requestSeconds, requestResults] = requestMetrics(
    registry,
    'requests to the API server, those for patches too',
  );
  // Without the prefix, as in shell-operator.
  const [patchSeconds, patchResults] = requestMetrics(
    beginningWith('object_patcher_'),
    'requests for patches of hooks',
  );
  return {
    requestSeconds,
    requestResults,
    patchSeconds,
    patchResults,
    connectionsReplaced: counter(
      'kubernetes_client_connections_replaced_total',
      'How often all connections to the API server were replaced, because requests got no answer.',
    ),
    rateLimiterSeconds: histogram(
      'kubernetes_client_rate_limiter_latency_seconds',
      'Time requests waited for the rate limit of the client; there is none by default.',
      ['verb', 'url'],
      LIMITER_SECONDS,
    ),
  };
}

function requestMetrics({ counter, histogram }: Pick<MetricRegistry, 'counter' | 'histogram'>, requests: string) {
  return [
    histogram('kubernetes_client_request_latency_seconds', `Time of ${requests}.`, LATENCY_LABELS, REQUEST_SECONDS),
    counter('kubernetes_client_request_result_total', `Number of ${requests}, by status and method.`, REQUEST_LABELS),
  ] as const;
}
