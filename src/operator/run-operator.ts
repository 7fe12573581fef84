import { HookMetrics } from '../effects/hook-metrics.ts';
import { openFilters } from '../filter/filters.ts';
import type { EventRecorder } from '../kube/coordination/event-recorder.ts';
import type { LeaderElection } from '../kube/coordination/leader-election.ts';
import { latch } from '../lib/latch.ts';
import { runAll } from '../lib/run-all.ts';
import { slicedText } from '../lib/sliced-text.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import type { HealthCheck, HealthReport } from '../server/health.ts';
import type { HttpServer } from '../server/http-server.ts';
import { createServer, type ServerOptions } from '../server/server.ts';
import { createClusterAccess, type ClusterAccess, type ClusterOptions } from './cluster-access.ts';
import type { RunTraces } from '../run/run-traces.ts';
import { LateDoor } from './http/late-door.ts';
import { createEffects, type EffectsParts } from './outputs/effects.ts';
import { createHookEvents, type HookEvents } from './hook-events.ts';
import { beginLoading, hookLoader } from '../units/hook-loading.ts';
import { openLeadership, type LeaderElectionSettings, type LeadershipOptions } from './leadership.ts';
import { openControl, type ControlSettings } from './control/open-control.ts';
import { openEvents } from './open-events.ts';
import { openHistory, type OpenHistory, type RunHistoryPlace } from './runs/open-history.ts';
import { openRunner } from './runs/open-runner.ts';
import { answeringReadiness } from './webhooks/answering-readiness.ts';
import { openWebhooks, type Webhooks, type WebhooksOptions } from './webhooks/open-webhooks.ts';
import { Operator } from './operator.ts';
import type { OperatorParts, OperatorSettings } from './operator-parts.ts';
import { measureLoad } from './process/process-load.ts';
import { createProcessMetrics } from './process/process-metrics.ts';
import { openTracing, type TracingSettings } from './tracing/open-tracing.ts';
import { keepYoungGeneration } from './process/young-generation.ts';
import type { WebhookSettings } from './webhooks/settings.ts';

export interface OperatorOptions extends OperatorSettings, ControlSettings {
  readonly listenAddress: string;
  readonly listenPort: number;
  /** Whether the server accepts a request with this Host header; default: every request. */
  readonly isHostAllowed?: (host: string | undefined) => boolean;
  readonly metricsPrefix: string;
  /** Whether operations on queues are measured; default true. */
  readonly queueActionMetrics?: boolean;
  readonly cluster: ClusterOptions;
  /** Absent: this operator is the only one. */
  readonly leaderElection?: LeaderElectionSettings | undefined;
  /** The number of log lines that were dropped so far because standard output was not read. */
  readonly droppedLogLines?: () => number;
  /** Absent: there are no traces. */
  readonly tracing?: TracingSettings | undefined;
  /** Whether the port of metrics takes the requests of `http` bindings too; default false. */
  readonly httpTriggers?: boolean;
  /** Absent: runs are remembered in memory alone. */
  readonly runHistory?: RunHistoryPlace | undefined;
  /** Absent: hooks with webhooks are loaded, but their webhooks are not served. */
  readonly webhooks?: WebhookSettings | undefined;
  /** How long webhooks are answered after the signal to stop, because API servers learn late of it; default 3 s. */
  readonly webhookDrainMs?: number;
  /** How long a certificate authority must be registered before it is relied on; default: as the certificates say. */
  readonly webhookSettleMs?: number;
}

/**
 * Runs the hooks of a folder until `signal` aborts; then lets running hooks finish within the grace period and applies
 * what they asked. Rejects with a `HookletError` when it cannot start. `hooklet start` and `hooklet dev` call it.
 *
 * It opens every part and joins them in an `Operator`. The runner comes first: where hooks are loaded once, they print
 * their configs while the rest is opened. The HTTP server comes next, so that a port that is taken ends the start
 * early; `/readyz` fails until the operator is created. Then come the cluster, Events, the election, the operator and
 * the control socket.
 *
 * Health, metrics, the control socket, Events and the lease end only after the last run has ended: no other replica
 * leads while a hook of this one still runs. Parts are closed in reverse order, also when the start fails.
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  keepYoungGeneration();
  await using ends = new AsyncDisposableStack();
  const metrics = openMetrics(options);
  const [processMetrics, hookMetrics, triggers] = [createProcessMetrics(), new HookMetrics(), new LateDoor()];
  const runner = openRunner(options, ends, metrics);
  const loading =
    options.changes === undefined ? beginLoading(options.hooksDir, hookLoader(runner, signal)) : undefined;
  let health: HealthPages = NOT_READY;
  const pages = { ...metricPages({ metrics, processMetrics, hookMetrics }), ...latest(() => health), triggers };
  const server = await openServer(options, pages, ends);
  const access = await openCluster(options, metrics, ends);
  const records = await openRecords(options, { access, metrics }, ends);
  const leadership = openElection(options, { access, metrics, ...records }, ends);
  const unasked = latch();
  const operator = new Operator({
    options,
    metrics,
    runner,
    loading,
    access,
    ...openEffects({ access, hookMetrics, metrics, log: options.log }, ends),
    hookMetrics,
    leadership,
    ...records,
    recordEvent: (about, event, runId) => records.events.record({ ...event, about, runId }),
    signal,
    unasked: unasked.promise,
  });
  triggers.lead(operator.triggers);
  const webhooks = openAdmission(options, operator, { access, metrics, ...records });
  health = healthOf(operator, webhooks);
  const control = await openControl(options, { operator, leadership }, ends);
  // Aborts when the last run has ended.
  const serving = new AbortController();
  await runAll(
    [
      async (stop) => operator.run(stop).finally(() => serving.abort()),
      async (stop) => webhooks?.run(stop).finally(unasked.resolve) ?? unasked.resolve(),
      ...[server, control].map((one) => async () => one?.run(serving.signal)),
      async () => measureLoad(metrics, serving.signal),
      async () => processMetrics.run(serving.signal),
      async () => leadership?.run(serving.signal),
      async () => records.events.run(serving.signal),
      async () => records.keepHistory(serving.signal),
    ],
    signal,
  );
}

interface Records extends OpenHistory {
  readonly events: EventRecorder;
  readonly hookEvents: HookEvents;
  readonly traces: RunTraces | undefined;
}

/** What reports and keeps runs, beside the log and the metrics. */
async function openRecords(
  options: OperatorOptions,
  { access, metrics }: Pick<OperatorParts, 'access' | 'metrics'>,
  ends: AsyncDisposableStack,
): Promise<Records> {
  const events = openEvents(options, access);
  const traces = await openTracing(options.tracing, { metrics, log: options.log }, ends);
  return { events, hookEvents: createHookEvents(events, Date.now), traces, ...openHistory({ ...options, metrics }) };
}

type HealthPages = Pick<ServerOptions, 'health' | 'webhookHealth'>;

const STARTING: HealthReport = {
  checks: [{ name: 'startup', isOk: false, message: 'looking for the cluster and its credentials' }],
};
/** The checks until the operator is created. */
const NOT_READY: HealthPages = { health: () => STARTING, webhookHealth: () => STARTING };

function latest(pages: () => HealthPages): HealthPages {
  return { health: () => pages().health(), webhookHealth: () => pages().webhookHealth() };
}

function healthOf(operator: Operator, webhooks: Webhooks | undefined): HealthPages {
  const served = (): readonly HealthCheck[] => webhooks?.readiness() ?? [];
  const answering = answeringReadiness(() => [...operator.answering(), ...served()]);
  return {
    health: () => ({ checks: [...operator.readiness(), ...served()] }),
    webhookHealth: () => ({ checks: answering() }),
  };
}

interface AllMetrics {
  readonly metrics: Metrics;
  readonly processMetrics: ReturnType<typeof createProcessMetrics>;
  readonly hookMetrics: HookMetrics;
}

function metricPages({
  metrics,
  processMetrics,
  hookMetrics,
}: AllMetrics): Pick<ServerOptions, 'metricsText' | 'hookMetricsText'> {
  return {
    metricsText: async () =>
      Buffer.concat([await slicedText(metrics.pieces()), Buffer.from(await processMetrics.text())]),
    hookMetricsText: async () => slicedText(hookMetrics.pieces()),
  };
}

async function openServer(
  { listenAddress: address, listenPort: port, isHostAllowed, httpTriggers = false, log }: OperatorOptions,
  {
    triggers,
    ...pages
  }: Pick<ServerOptions, 'metricsText' | 'hookMetricsText' | 'health' | 'webhookHealth' | 'triggers'>,
  ends: AsyncDisposableStack,
): Promise<HttpServer> {
  const served = { ...pages, ...(httpTriggers && { triggers }), ...(isHostAllowed && { isHostAllowed }) };
  const server = await createServer({ ...served, address, port, log });
  ends.defer(async () => server.run(AbortSignal.abort()));
  log.info({ url: `http://localhost:${server.port}` }, 'serving /metrics, /healthz and /readyz');
  return server;
}

function openMetrics({ metricsPrefix, queueActionMetrics: queueActions = true, ...options }: OperatorOptions): Metrics {
  const { droppedLogLines } = options;
  const metrics = createMetrics(metricsPrefix, { queueActions });
  if (droppedLogLines !== undefined) {
    metrics.beforeRead.add(() => (metrics.logLinesDropped.of({}).value = droppedLogLines()));
  }
  return metrics;
}

function openEffects(
  parts: Omit<EffectsParts, 'filters'>,
  ends: AsyncDisposableStack,
): Pick<OperatorParts, 'filters' | 'effects'> {
  const filters = openFilters();
  ends.defer(() => filters.end());
  return { filters, effects: createEffects({ ...parts, filters }) };
}

function openElection(
  { leaderElection, cluster: { userAgent }, env, log }: OperatorOptions,
  parts: Pick<LeadershipOptions, 'access' | 'metrics' | 'events'>,
  ends: AsyncDisposableStack,
): LeaderElection | undefined {
  if (leaderElection === undefined) return undefined;
  return openLeadership(leaderElection, { ...parts, userAgent, env, log }, ends);
}

const DRAIN_MS = 3000;

function openAdmission(
  options: OperatorOptions,
  { asked, triggers }: Pick<Operator, 'asked' | 'triggers'>,
  parts: Pick<WebhooksOptions, 'access' | 'metrics' | 'events'>,
): Webhooks | undefined {
  const { webhooks: settings, webhookDrainMs: drainMs = DRAIN_MS, webhookSettleMs: settleMs } = options;
  const { env, log, logCompat = false } = options;
  return settings && openWebhooks({ ...parts, asked, triggers, settings, drainMs, settleMs, env, logCompat, log });
}

async function openCluster(
  { cluster, log }: OperatorOptions,
  metrics: Metrics,
  ends: AsyncDisposableStack,
): Promise<ClusterAccess> {
  const access = await createClusterAccess(cluster, { log, metrics });
  ends.defer(async () => {
    await access.watches.ended();
    await access.client.close();
  });
  return access;
}
