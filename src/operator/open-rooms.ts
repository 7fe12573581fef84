/*
 * Opens what an operator is made of, one function for each part, by the options of `runOperator`.
 */

import { openFilters } from '../filter/filters.ts';
import type { EventRecorder } from '../kube/coordination/event-recorder.ts';
import type { KubeClient } from '../kube/client.ts';
import { aborted } from '../lib/aborted.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import type { RunTraces } from '../run/run-traces.ts';
import { createClusterAccess, type ClusterAccess } from './cluster-access.ts';
import { DryRun } from './dry-run/dry-run.ts';
import { createHookEvents, type HookEvents } from './hook-events.ts';
import { openLeadership, type LeadershipOptions } from './leadership.ts';
import { openEvents } from './open-events.ts';
import type { Operator } from './operator.ts';
import type { OperatorParts, RunningLeadership } from './operator-parts.ts';
import { createEffects, type EffectsParts } from './outputs/effects.ts';
import { Activity } from './page/activity.ts';
import type { OperatorOptions } from './run-operator.ts';
import { RemoteRuns, type RemoteOptions } from './remote/open-remote.ts';
import { openHistory, type OpenHistory } from './runs/open-history.ts';
import type { Shards } from './shards/shards.ts';
import { sliceHashOf } from './shards/slice-hash-of.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { openWebhooks, type Webhooks, type WebhooksOptions } from './webhooks/open-webhooks.ts';

/** The metrics of hooklet. */
export function openMetrics({
  metricsPrefix,
  queueActionMetrics: queueActions = true,
  ...options
}: OperatorOptions): Metrics {
  const { droppedLogLines } = options;
  const metrics = createMetrics(metricsPrefix, { queueActions });
  if (droppedLogLines !== undefined) {
    metrics.beforeRead.add(() => (metrics.logLinesDropped.of({}).value = droppedLogLines()));
  }
  return metrics;
}

/** What carries out what hooks ask; the filters end with `ends`. */
export function openEffects(
  parts: Omit<EffectsParts, 'filters'>,
  ends: AsyncDisposableStack,
): Pick<OperatorParts, 'filters' | 'effects'> {
  const filters = openFilters();
  ends.defer(() => filters.end());
  return { filters, effects: createEffects({ ...parts, filters }) };
}

/** What says whether this replica leads, and with `shards` on which slices of the objects it works. */
export interface OpenElection {
  readonly leadership: RunningLeadership | undefined;
  readonly shards: Shards | undefined;
}

/** Neither without `leaderElection` and `shards`. */
export async function openElection(
  { leaderElection, shards: settings, cluster: { userAgent }, env, log }: OperatorOptions,
  parts: Pick<LeadershipOptions, 'access' | 'metrics' | 'events' | 'fence'>,
  ends: AsyncDisposableStack,
): Promise<OpenElection> {
  const options = { ...parts, userAgent, env, log };
  // Read only where it is needed, since it would take time at each start.
  const shards = settings && (await import('./shards/open-shards.ts')).openShards(settings, options, ends);
  const leadership = shards ?? (leaderElection && openLeadership(leaderElection, options, ends));
  return { leadership, shards };
}

const DRAIN_MS = 3000;

/** Absent where webhooks are not served. */
export function openAdmission(
  options: OperatorOptions,
  { asked, triggers }: Pick<Operator, 'asked' | 'triggers'>,
  parts: Pick<WebhooksOptions, 'access' | 'metrics' | 'events'>,
): Webhooks | undefined {
  const { webhooks: settings, webhookDrainMs: drainMs = DRAIN_MS, webhookSettleMs: settleMs } = options;
  const { webhookTickMs: tickMs, env, log, logCompat = false } = options;
  const times = { drainMs, settleMs, tickMs };
  return settings && openWebhooks({ ...parts, ...times, asked, triggers, settings, env, logCompat, log });
}

/** Absent where all hooks run in the Pod of the operator, as in a dry run. */
export function openRemote(
  options: OperatorOptions,
  parts: Pick<RemoteOptions, 'access' | 'effects' | 'leadership' | 'metrics' | 'events' | 'signal'>,
): RemoteRuns | undefined {
  const { remote: settings, dryRun, hooksDir, plainExitCodes = false, backgroundLimitMs, env, log } = options;
  if (settings === undefined || dryRun !== undefined) return undefined;
  return new RemoteRuns({ ...parts, settings, hooksDir, plainExitCodes, backgroundLimitMs, env, log });
}

/** Connects to the cluster; all watches and connections end with `ends`. */
export async function openCluster(
  { cluster, dryRun: settings, shards, log }: OperatorOptions,
  metrics: Metrics,
  ends: AsyncDisposableStack,
): Promise<{ readonly access: ClusterAccess; readonly dryRun: DryRun | undefined }> {
  const dryRun = settings && new DryRun({ settings, metrics, log });
  const wrap = dryRun && ((client: KubeClient) => dryRun.wrap(client));
  const access = await createClusterAccess(cluster, { log, metrics, wrap, sliceHash: shards && sliceHashOf(shards) });
  ends.defer(async () => {
    await access.watches.ended();
    await access.client.close();
  });
  return { access, dryRun };
}

/** What reports and keeps runs, beside the log and the metrics. */
export interface Records extends OpenHistory {
  readonly events: EventRecorder;
  readonly hookEvents: HookEvents;
  readonly traces: RunTraces | undefined;
  readonly activity: Activity;
}

/** Opens what reports and keeps runs. */
export async function openRecords(
  options: OperatorOptions,
  { access, metrics }: Pick<OperatorParts, 'access' | 'metrics'>,
  ends: AsyncDisposableStack,
): Promise<Records> {
  const events = options.dryRun === undefined ? openEvents(options, access) : NO_EVENTS;
  const traces = await openTracing(options.tracing, { metrics, log: options.log }, ends);
  const hookEvents = createHookEvents(events, Date.now);
  const activity = new Activity(Date.now);
  return { events, hookEvents, traces, activity, ...openHistory({ ...options, metrics }) };
}

/** A dry run writes none. */
const NO_EVENTS: EventRecorder = { record: () => {}, tell: async () => ({ type: 'off' }), run: aborted };
