import { existsSync } from 'node:fs';
import { HooksDigest } from '../../hook/hooks-digest.ts';
import { readRegular } from '../../lib/read-regular.ts';
import type { Logger } from '../../log.ts';
import { createOutputLog } from '../../runner/output-log.ts';
import { createRunFolder } from '../../runner/run-folder.ts';
import { createServer } from '../../server/server.ts';
import { Reach } from '../agent/reach.ts';
import { openLog } from '../options/open-log.ts';
import type { Flags } from '../options/resolve.ts';
import { resolveWorkOptions, WORK_VARIABLES, type WorkOptions } from '../options/work-options.ts';
import { programFile } from '../program/program-file.ts';
import { version } from '../program/version.ts';
import { shutdownSignal } from '../shutdown.ts';
import { Condition } from './condition.ts';
import { HeldRuns } from './held-runs.ts';
import { Http2Wire } from './http2-wire.ts';
import { Runners } from './runners.ts';
import { WORKER_TIMES, type WorkerTimes } from './times.ts';
import { runWorker, Standing } from './worker.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

/** `hooklet work`: resolves to the exit code. */
export async function workCommand(flags: Flags): Promise<number> {
  const options = resolveWorkOptions(flags, process.env);
  const log = openLog(options, 'json');
  const stop = shutdownSignal((name) => log.info({ signal: name }, 'shutting down, no more runs are claimed'));
  log.info({ version, hooksDir: options.hooksDir, capacity: options.capacity }, 'hooklet work starts');
  await work(options, { env: process.env, log, stop });
  log.info({}, 'hooklet work ended');
  return 0;
}

export interface WorkSettings {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly stop: AbortSignal;
  /** What a test sets. */
  readonly times?: Partial<WorkerTimes>;
  readonly elapsed?: () => number;
  /** Called with the port of health and metrics. */
  readonly onServed?: (port: number) => void;
}

/** Works until `stop` aborts and all its runs have ended; rejects with `UsageError` where its hooks or its temporary folder cannot be used. */
export async function work(options: WorkOptions, settings: WorkSettings): Promise<void> {
  const { log, stop, elapsed = () => performance.now() } = settings;
  const { hooksDir, tmpDir, capacity, pool, drainLimitMs } = options;
  const times = { ...WORKER_TIMES, ...settings.times };
  await using ends = new AsyncDisposableStack();
  const hooks = new HooksDigest({ hooksDir, version });
  await hooks.current();
  // What no run could be executed without is known before any is claimed.
  createRunFolder({ tmpDir, keepTmpFiles: false }).remove();
  const standing = new Standing();
  const held = new HeldRuns(capacity);
  const runners = openRunners(options, settings, ends);
  const metrics = createWorkerMetrics(() => ({
    held: held.size,
    capacity,
    isConnected: standing.isConnected(elapsed()),
  }));
  const health = () => standing.health(elapsed(), runners.problem);
  const { listenAddress: address, listenPort: port } = options;
  const pages = { metricsText: metrics.text, hookMetricsText: () => '', health, webhookHealth: health };
  const server = await createServer({ address, port, log, ...pages });
  ends.defer(async () => server.close());
  settings.onServed?.(server.port);
  const worker = {
    reach: openReach(options, { log, times }, ends),
    times,
    log,
    outputLog: createOutputLog({ ...options, log }),
    metrics,
    runners,
    held,
    condition: new Condition(times, elapsed),
    hooksDir,
    digest: async () => hooks.current(),
    elapsed,
  };
  await runWorker(worker, { pool, version, drainLimitMs, standing }, stop);
}

function openRunners(options: WorkOptions, { env, log }: WorkSettings, ends: AsyncDisposableStack): Runners {
  const { hooksDir, tmpDir, logProxyHookJson, logCompat } = options;
  const runners = new Runners({
    hooksDir,
    tmpDir,
    keepTmpFiles: false,
    logProxyHookJson,
    logCompat,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !WORK_VARIABLES.has(name))),
    program: { node: process.execPath, program: programFile },
    log,
  });
  ends.defer(async () => runners.close());
  return runners;
}

function openReach(
  { operator: urls, tokenFile, caFile }: WorkOptions,
  { log, times }: { readonly log: Logger; readonly times: WorkerTimes },
  ends: AsyncDisposableStack,
): Reach {
  // Read for each connection: it is replaced when the operator makes a new authority.
  const authority = (): string | undefined => (existsSync(caFile) ? certificatesIn(caFile) : undefined);
  const wire = new Http2Wire({ authority, ...times });
  ends.defer(() => wire.close());
  const onUnreached = (problem: string): void =>
    log.warn({ problem }, 'no operator that leads can be reached, it is tried again');
  return new Reach({ urls, tokenFile, wire, times, authority: `--ca-file ${caFile}`, onUnreached });
}

/** Nothing would mean that whoever Node trusts is trusted. */
function certificatesIn(caFile: string): string {
  const text = readRegular(caFile);
  if (text.trim() !== '') return text;
  throw new Error(`--ca-file ${caFile} is empty, expected certificates in PEM, or no file`);
}
