import { isatty } from 'node:tty';
import { discoverHooks } from '../hook/discover.ts';
import { createLogger, type RootLogger } from '../log.ts';
import { urlText } from '../lib/url-text.ts';
import type { Cluster } from '../kube/credentials/cluster.ts';
import { loadCluster } from '../kube/credentials/load-cluster.ts';
import { runOperator, type OperatorOptions } from '../operator/run-operator.ts';
import type { SpawnerChild } from '../runner/spawner-child.ts';
import { controlSocketOf } from './control-socket.ts';
import { logStyle } from './log-style.ts';
import { resolveOptions, startOptions, type Flags, type StartOptions } from './options.ts';
import { withoutEffect } from './peer-options.ts';
import { leaderElectionOptions } from './leader-options.ts';
import { programFile } from './program-file.ts';
import { shutdownSignal } from './shutdown.ts';
import { version } from './version.ts';

/** `hooklet start`: runs the hooks against a cluster until SIGINT or SIGTERM; resolves to the exit code. */
export async function start(flags: Flags, spawner: SpawnerChild): Promise<number> {
  const options = resolveOptions(startOptions, flags, process.env);
  const log = openLog(options, 'json');
  // Refused before the cluster is looked for: this is the mistake that is easier to mend.
  await discoverHooks(options.hooksDir);
  const signal = shutdownSignal((name) => log.info({ signal: name }, 'shutting down'));
  log.info({ version, hooksDir: options.hooksDir }, 'hooklet starts');
  const unused = withoutEffect(flags, process.env);
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
  await runOperator({ ...operatorOptions(options, connect, log), spawner }, signal);
  log.info({}, 'hooklet ended');
  return 0;
}

/** The logger the options ask for; `otherwise` is the format where neither they nor a terminal decide. */
export function openLog({ logFormat, logLevel }: StartOptions, otherwise: 'json' | 'text'): RootLogger {
  return createLogger({
    ...logStyle(logFormat, otherwise, { isTerminal: isatty(1), env: process.env }),
    level: logLevel,
  });
}

/** What the operator needs of the options. */
export function operatorOptions(
  options: StartOptions,
  connect: () => Promise<Cluster>,
  log: RootLogger,
): OperatorOptions {
  const { kubeClientQps: qps, kubeClientBurst: burst } = options;
  return {
    ...options,
    cluster: { connect, userAgent: `hooklet/${version}`, ...(qps > 0 && { qps, burst }) },
    ...leaderElectionOptions(options),
    controlSocket: controlSocketOf(options),
    env: process.env,
    program: { node: process.execPath, program: programFile },
    log,
    droppedLogLines: () => log.droppedLines,
  };
}
