import { HookMetrics } from '../effects/hook-metrics.ts';
import { latch } from '../lib/latch.ts';
import { runAll } from '../lib/run-all.ts';
import type { HttpServer } from '../server/http-server.ts';
import { beginLoading, hookLoader } from '../units/hook-loading.ts';
import type { ClusterOptions } from './cluster-access.ts';
import { openControl, type ControlSettings } from './control/open-control.ts';
import type { DryRunSettings } from './dry-run/dry-run.ts';
import { withoutTraces } from './dry-run/without-traces.ts';
import { LateDoor } from './http/late-door.ts';
import { shareFence } from './fences.ts';
import type { LeaderElectionSettings } from './leadership.ts';
import { bothTexts, healthOf, latest, metricPages, NOT_READY, openServer, type HealthPages } from './open-port.ts';
import {
  openAdmission,
  openCluster,
  openEffects,
  openElection,
  openMetrics,
  openRecords,
  openRemote,
} from './open-rooms.ts';
import { Operator } from './operator.ts';
import type { OperatorSettings } from './operator-parts.ts';
import { openPage, type OpenPageParts, type PageSettings } from './page/open-page.ts';
import { measureLoad } from './process/process-load.ts';
import { createProcessMetrics } from './process/process-metrics.ts';
import { openLocks } from './locks/open-locks.ts';
import { keepYoungGeneration } from './process/young-generation.ts';
import type { RemoteRuns } from './remote/open-remote.ts';
import type { RemoteSettings } from './remote/settings.ts';
import type { RecordingSettings, RunHistoryPlace } from './runs/open-history.ts';
import { openRunner } from './runs/open-runner.ts';
import type { ShardsSettings } from './shards/shards.ts';
import type { TracingSettings } from './tracing/open-tracing.ts';
import type { Webhooks } from './webhooks/open-webhooks.ts';
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
  /** Divides the objects among replicas; not with `leaderElection`. Absent: this operator follows all of them. */
  readonly shards?: ShardsSettings | undefined;
  /** The number of log lines that were dropped so far because standard output was not read. */
  readonly droppedLogLines?: () => number;
  /** Absent: there are no traces. */
  readonly tracing?: TracingSettings | undefined;
  /** Whether the port of metrics takes the requests of `http` bindings too; default false. */
  readonly httpTriggers?: boolean;
  /** Absent: there is no page. */
  readonly page?: PageSettings | undefined;
  /** Absent: runs are remembered in memory alone. */
  readonly runHistory?: RunHistoryPlace | undefined;
  /** Absent: runs are not recorded. */
  readonly recording?: RecordingSettings | undefined;
  /** Absent: hooks with webhooks are loaded, but their webhooks are not served. */
  readonly webhooks?: WebhookSettings | undefined;
  /** Absent: hooks whose runs are to be Jobs, or for workers, run in the Pod of the operator. */
  readonly remote?: RemoteSettings | undefined;
  /** Absent: what hooks ask is carried out. */
  readonly dryRun?: DryRunSettings | undefined;
  /** How long webhooks are answered after the signal to stop, because API servers learn late of it; default 3 s. */
  readonly webhookDrainMs?: number;
  /** How long a certificate authority must be registered before it is relied on; default: as the certificates say. */
  readonly webhookSettleMs?: number;
  /** The longest time between two looks at the certificates of webhooks; default: as the certificates say. */
  readonly webhookTickMs?: number;
  /** Called when every part is open, and before it works. */
  readonly onOpened?: (opened: OpenedOperator) => void;
}

/** A running operator, for those in the same process. */
export interface OpenedOperator {
  readonly operator: Operator;
  /** The port of metrics and of `http` bindings. */
  readonly port: number;
  /** The text of `/metrics`, and that of `/metrics/hooks`. */
  readonly metricsText: () => Promise<string>;
  readonly webhooks: Webhooks | undefined;
  /** Absent where all hooks run in this Pod. */
  readonly remote: Pick<RemoteRuns, 'port'> | undefined;
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
  await openAndRun(withoutTraces(options), signal);
}

async function openAndRun(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  await using ends = new AsyncDisposableStack();
  const metrics = openMetrics(options);
  const [processMetrics, hookMetrics, triggers] = [createProcessMetrics(), new HookMetrics(), new LateDoor()];
  const runner = openRunner(options, ends, metrics);
  const loading = options.changes === undefined ? beginLoading(options, hookLoader(runner, signal)) : undefined;
  let health: HealthPages = NOT_READY;
  const pages = { ...metricPages({ metrics, processMetrics, hookMetrics }), ...latest(() => health), triggers };
  const server = await openServer(options, pages, ends);
  const { access, dryRun } = await openCluster(options, metrics, ends);
  const records = await openRecords(options, { access, metrics }, ends);
  const [fence, unasked] = [shareFence(runner.fence), latch()];
  const election = await openElection(options, { access, metrics, fence: fence(), ...records }, ends);
  const { leadership } = election;
  const carriedOut = openEffects({ access, hookMetrics, metrics, log: options.log }, ends);
  const remote = openRemote(options, { access, metrics, leadership, signal, ...records, ...carriedOut });
  const opened = { options, metrics, runner, loading, access, hookMetrics, ...election, signal };
  const operator = new Operator({
    ...opened,
    ...carriedOut,
    ...records,
    ...remote?.partsFor(runner),
    recordEvent: (about, event, runId) => records.events.record({ ...event, about, runId }),
    around: dryRun?.around,
    openLocks: dryRun === undefined ? openLocks(options, { access, metrics, fence: fence() }, ends) : undefined,
    unasked: unasked.promise,
  });
  triggers.lead(operator.triggers);
  const webhooks = openAdmission(options, operator, { access, metrics, ...records });
  health = healthOf(operator, [webhooks, remote]);
  options.onOpened?.({ operator, webhooks, remote, port: server.port, metricsText: () => bothTexts(pages) });
  const shown = { operator, ...election, access, metrics, ...records, health: () => health.health() };
  const doors = await openDoors(options, shown, ends);
  const served = [server, dryRun, ...doors, processMetrics, leadership, records.events];
  // Aborts when the last run has ended.
  const serving = new AbortController();
  await runAll(
    [
      async (stop) => operator.run(stop).finally(() => serving.abort()),
      async (stop) => webhooks?.run(stop).finally(unasked.resolve) ?? unasked.resolve(),
      ...served.map((one) => async () => one?.run(serving.signal)),
      async () => measureLoad(metrics, serving.signal),
      async () => remote?.run(operator.asked, serving.signal),
      async () => records.keepHistory(serving.signal),
    ],
    signal,
  );
}

/** Opens the control socket and the page. */
async function openDoors(
  options: OperatorOptions,
  parts: OpenPageParts,
  ends: AsyncDisposableStack,
): Promise<readonly (Pick<HttpServer, 'run'> | undefined)[]> {
  return [await openControl(options, parts, ends), await openPage(options, parts, ends)];
}
