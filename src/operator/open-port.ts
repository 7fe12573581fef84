/*
 * The port of the operator: its health, its metrics, and the requests of `http` bindings.
 */

import type { HookMetrics } from '../effects/hook-metrics.ts';
import { slicedText } from '../lib/sliced-text.ts';
import type { Metrics } from '../metrics.ts';
import type { HealthCheck, HealthReport } from '../server/health.ts';
import type { HttpServer } from '../server/http-server.ts';
import { createServer, type ServerOptions } from '../server/server.ts';
import type { Operator } from './operator.ts';
import type { createProcessMetrics } from './process/process-metrics.ts';
import type { RemoteRuns } from './remote/open-remote.ts';
import type { OperatorOptions } from './run-operator.ts';
import { answeringReadiness } from './webhooks/answering-readiness.ts';
import type { Webhooks } from './webhooks/open-webhooks.ts';

type Pages = MetricPages & HealthPages & Pick<ServerOptions, 'triggers'>;

/** Opens the port of all that; it is closed with `ends`. */
export async function openServer(
  { listenAddress: address, listenPort: port, isHostAllowed, httpTriggers = false, log }: OperatorOptions,
  { triggers, ...pages }: Pages,
  ends: AsyncDisposableStack,
): Promise<HttpServer> {
  const served = { ...pages, ...(httpTriggers && { triggers }), ...(isHostAllowed && { isHostAllowed }) };
  const server = await createServer({ ...served, address, port, log });
  ends.defer(async () => server.run(AbortSignal.abort()));
  log.info({ url: `http://localhost:${server.port}` }, 'serving /metrics, /healthz and /readyz');
  return server;
}

/** The checks of `/healthz` and `/readyz`. */
export type HealthPages = Pick<ServerOptions, 'health' | 'webhookHealth'>;

const STARTING: HealthReport = {
  checks: [{ name: 'startup', isOk: false, message: 'looking for the cluster and its credentials' }],
};
/** The checks until the operator is created. */
export const NOT_READY: HealthPages = { health: () => STARTING, webhookHealth: () => STARTING };

/** The checks as they are at each request. */
export function latest(pages: () => HealthPages): HealthPages {
  return { health: () => pages().health(), webhookHealth: () => pages().webhookHealth() };
}

/** The checks of an operator and its webhooks. */
export function healthOf(
  operator: Operator,
  [webhooks, remote]: readonly [Webhooks | undefined, RemoteRuns | undefined],
): HealthPages {
  const served = (): readonly HealthCheck[] => webhooks?.readiness() ?? [];
  const answering = answeringReadiness(() => [...operator.answering(), ...served()]);
  return {
    health: () => ({ checks: [...operator.readiness(), ...served(), ...(remote?.readiness() ?? [])] }),
    webhookHealth: () => ({ checks: answering() }),
  };
}

/** The metrics of hooklet, of its process, and of hooks. */
export interface AllMetrics {
  readonly metrics: Metrics;
  readonly processMetrics: ReturnType<typeof createProcessMetrics>;
  readonly hookMetrics: HookMetrics;
}

type MetricPages = Pick<ServerOptions, 'metricsText' | 'hookMetricsText'>;

/** The texts of `/metrics` and `/metrics/hooks`. */
export function metricPages({ metrics, processMetrics, hookMetrics }: AllMetrics): MetricPages {
  return {
    metricsText: async () =>
      Buffer.concat([await slicedText(metrics.pieces()), Buffer.from(await processMetrics.text())]),
    hookMetricsText: async () => slicedText(hookMetrics.pieces()),
  };
}

/** Both, one after the other. */
export async function bothTexts(pages: MetricPages): Promise<string> {
  const [own, hooks] = await Promise.all([pages.metricsText(), pages.hookMetricsText()]);
  return `${own.toString()}${hooks.toString()}`;
}
