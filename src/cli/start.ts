import { discoverHooks } from '../hook/discover.ts';
import type { RootLogger } from '../log.ts';
import { urlText } from '../lib/url-text.ts';
import type { Cluster } from '../kube/credentials/cluster.ts';
import { loadCluster } from '../kube/credentials/load-cluster.ts';
import type { DryRunSettings } from '../operator/dry-run/dry-run.ts';
import { runOperator, type OperatorOptions } from '../operator/run-operator.ts';
import type { SpawnerChild } from '../runner/spawner-child.ts';
import { controlSocketOf } from './control/socket.ts';
import { openLog } from './options/open-log.ts';
import { peerOptions, startOptions, type StartOptions } from './options/options.ts';
import { pageSettings } from './options/page-options.ts';
import { optionNotes, resolveOptions, type Flags } from './options/resolve.ts';
import { withoutEffect } from './control/ignored-options.ts';
import { jobsSettings } from './options/jobs-options.ts';
import { leaderElectionOptions } from './options/leader-options.ts';
import { shardsSettings } from './options/shards-options.ts';
import { programFile } from './program/program-file.ts';
import { programName } from './program/program-name.ts';
import { OPERANDS } from './options/start-flags.ts';
import { shutdownSignal } from './shutdown.ts';
import { tracingOptions } from './options/tracing-options.ts';
import { version } from './program/version.ts';
import { webhookSettings } from './options/webhook-options.ts';
import { workersSettings } from './options/workers-options.ts';

/**
 * `hooklet start`: runs the hooks against a cluster until SIGINT or SIGTERM; resolves to the exit code. `program.ts`
 * calls it with the parsed flags and with the spawner process, which it started before anything else was loaded.
 *
 * It resolves the options, checks the hooks folder, opens the log, and hands everything to `runOperator`, which
 * connects to the cluster and returns at shutdown. `operatorOptions` is shared with `hooklet dev`.
 *
 * What must hold: wrong usage (options, a missing hooks folder) ends with a `UsageError` before the cluster is
 * contacted.
 */
export async function start(flags: Flags, spawner: SpawnerChild): Promise<number> {
  const specs = programName() === 'shell-operator' ? peerOptions : startOptions;
  const options = resolveOptions(specs, flags, process.env);
  const log = openLog(options, 'json');
  // Checked before the cluster is contacted: of the two mistakes, a wrong folder is easier to fix.
  await discoverHooks(options.hooksDir);
  const signal = shutdownSignal((name) => log.info({ signal: name }, 'shutting down'));
  log.info({ version, hooksDir: options.hooksDir }, 'hooklet starts');
  for (const note of optionNotes(startOptions, flags, process.env))
    log.warn({ option: note }, 'option taken otherwise');
  const operands = flags[OPERANDS];
  const unused = [...withoutEffect(flags, process.env), ...(typeof operands === 'string' ? [operands] : [])];
  if (unused.length > 0) log.warn({ options: unused }, 'options of shell-operator have no effect here');
  const connect = async (): Promise<Cluster> => {
    const { kubeConfig, kubeContext } = options;
    const cluster = await loadCluster({
      env: process.env,
      ...(kubeConfig !== '' && { kubeConfigPath: kubeConfig }),
      ...(kubeContext !== '' && { context: kubeContext }),
    });
    const { name, server, proxy } = cluster;
    log.info({ cluster: name, server: urlText(server), ...(proxy && { proxy: urlText(proxy) }) }, 'cluster found');
    return cluster;
  };
  const remote = { ...jobsSettings(options), workers: workersSettings(options) };
  await runOperator({ ...operatorOptions(options, connect, log), remote, spawner }, signal);
  log.info({}, 'hooklet ended');
  return 0;
}

function dryRunSettings({ dryRun, shadow, shadowAfterMs }: StartOptions): DryRunSettings | undefined {
  return dryRun || shadow ? { ...(shadow && { shadowAfterMs }) } : undefined;
}

/** Converts the resolved options to those of the operator. */
export function operatorOptions(
  options: StartOptions,
  connect: () => Promise<Cluster>,
  log: RootLogger,
): OperatorOptions {
  const { kubeClientQps: qps, kubeClientBurst: burst, fieldManager } = options;
  const manager = fieldManager === '' ? programName() : fieldManager;
  return {
    ...options,
    cluster: { connect, userAgent: `${manager}/${version}`, ...(qps > 0 && { qps, burst }) },
    ...leaderElectionOptions(options),
    ...shardsSettings(options),
    recording: options.record ? { maxBytes: options.recordBytes, hooklet: version } : undefined,
    controlSocket: controlSocketOf(options),
    page: pageSettings(options),
    webhooks: webhookSettings(options),
    dryRun: dryRunSettings(options),
    logLevels: log,
    env: process.env,
    program: { node: process.execPath, program: programFile },
    log,
    droppedLogLines: () => log.droppedLines,
    ...tracingOptions(process.env),
    queueActionMetrics: process.env['QUEUE_ACTIONS_METRICS'] !== 'no',
  };
}
