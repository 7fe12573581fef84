import { clusterOptions } from './cluster-options.ts';
import { keptOptions } from './kept-options.ts';
import { jobsOptions } from './jobs-options.ts';
import { leaderOptions } from './leader-options.ts';
import { shardsOptions } from './shards-options.ts';
import { logFormatOption, logLevelOption } from './log-options.ts';
import { duration, flag, port, text } from './spec.ts';
import { metricsPrefix, parseDebugAddress } from './values.ts';
import { pageOptions } from './page-options.ts';
import type { Options } from './resolve.ts';
import { webhookOptions } from './webhook-options.ts';
import { workersOptions } from './workers-options.ts';

/**
 * The options of `hooklet start` and `hooklet dev`. One table defines each option with its flag, environment variables,
 * default, description and parser; the help, the completion, the documentation test and `resolve-options.ts` all read it.
 *
 * What must hold: flags and variables of shell-operator keep working.
 */

/** The options of `hooklet start`, in the order of `--help`. */
export const startOptions = {
  hooksDir: text('--hooks-dir <dir>', ['HOOKLET_HOOKS_DIR', 'SHELL_OPERATOR_HOOKS_DIR'], 'hooks', 'folder with hooks'),
  tmpDir: text(
    '--tmp-dir <dir>',
    ['HOOKLET_TMP_DIR', 'SHELL_OPERATOR_TMP_DIR'],
    '/tmp/hooklet',
    'folder for the files given to hooks',
  ),
  listenAddress: text(
    '--listen-address <address>',
    ['HOOKLET_LISTEN_ADDRESS', 'SHELL_OPERATOR_LISTEN_ADDRESS'],
    '0.0.0.0',
    'address of /metrics, /healthz and /readyz',
  ),
  listenPort: port(
    '--listen-port <port>',
    ['HOOKLET_LISTEN_PORT', 'SHELL_OPERATOR_LISTEN_PORT'],
    9115,
    'port of /metrics, /healthz and /readyz; 0 takes a free one',
  ),
  httpTriggers: flag(
    '--http-triggers',
    ['HOOKLET_HTTP_TRIGGERS'],
    'take the requests of http bindings on the port of --listen-port too, without TLS',
  ),
  ...pageOptions,
  metricsPrefix: {
    ...text(
      '--prometheus-metrics-prefix <prefix>',
      ['HOOKLET_PROMETHEUS_METRICS_PREFIX', 'SHELL_OPERATOR_PROMETHEUS_METRICS_PREFIX'],
      'hooklet_',
      'prefix of the names of built-in metrics',
    ),
    parse: metricsPrefix,
    note: (value: string): string | undefined =>
      metricsPrefix(value) === value ? undefined : `metrics are called ${metricsPrefix(value)}…`,
  },
  ...clusterOptions,
  ...webhookOptions,
  dryRun: flag(
    '--dry-run',
    ['HOOKLET_DRY_RUN'],
    'change nothing: what hooks ask is tried by the API server and logged; what they do with kubectl is not stopped',
  ),
  shadow: flag(
    '--shadow',
    ['HOOKLET_SHADOW'],
    'as --dry-run, beside another version that runs: log where that one leaves objects otherwise',
  ),
  shadowAfterMs: duration(
    '--shadow-after <duration>',
    ['HOOKLET_SHADOW_AFTER'],
    '20s',
    'how long the other version has to act before its objects are compared',
  ),
  gracePeriodMs: duration(
    '--grace-period <duration>',
    ['HOOKLET_GRACE_PERIOD'],
    '15s',
    'time for running hooks to finish at shutdown',
  ),
  ...leaderOptions,
  ...shardsOptions,
  ...jobsOptions,
  ...workersOptions,
  ...keptOptions,
  logLevel: logLevelOption('--log-level <level>', ['HOOKLET_LOG_LEVEL', 'LOG_LEVEL']),
  logFormat: logFormatOption('--log-format <format>', ['HOOKLET_LOG_FORMAT', 'LOG_TYPE']),
  logProxyHookJson: flag(
    '--log-proxy-hook-json',
    ['HOOKLET_LOG_PROXY_HOOK_JSON', 'LOG_PROXY_HOOK_JSON'],
    'make JSON lines of hooks log lines of their own: with their level and msg, other keys as hook_…',
  ),
  logCompat: flag(
    '--log-compat',
    ['HOOKLET_LOG_COMPAT'],
    'log as shell-operator does: its keys and messages, a line of a hook as msg, JSON lines taken apart',
  ),
  plainExitCodes: flag(
    '--plain-exit-codes',
    ['HOOKLET_PLAIN_EXIT_CODES', 'PLAIN_EXIT_CODES'],
    'the exit codes 75 and 78 of hooks are failures as any other, as in shell-operator',
  ),
  backgroundLimitMs: duration(
    '--background-limit <duration>',
    ['HOOKLET_BACKGROUND_LIMIT'],
    '10m',
    'how long a run without settings.timeout waits for background jobs that hold its output; 0 ends them with the hook',
  ),
  debugUnixSocket: text(
    '--debug-unix-socket <path>',
    ['HOOKLET_DEBUG_UNIX_SOCKET', 'DEBUG_UNIX_SOCKET'],
    '',
    'socket for hooklet status, schedule and the like; else hooklet.socket in the folder of --tmp-dir',
  ),
  debugHttpAddr: {
    ...text(
      '--debug-http-addr <address>',
      ['HOOKLET_DEBUG_HTTP_ADDR', 'DEBUG_HTTP_SERVER_ADDR'],
      '',
      'address and port of the debug API, for everyone who reaches it; :9650 is one of this machine alone',
    ),
    parse: parseDebugAddress,
    fallback: undefined,
  },
  keepTmpFiles: flag(
    '--debug-keep-tmp-files',
    ['HOOKLET_DEBUG_KEEP_TMP_FILES', 'DEBUG_KEEP_TMP_FILES'],
    'keep the files given to hooks, for a look at them',
  ),
} as const;

export type StartOptions = Options<typeof startOptions>;

const { listenAddress, listenPort, httpTriggers, tmpDir, logCompat, admissionOwnNamespace } = startOptions;

/** The options of `hooklet start` where it is called as shell-operator is. */
export const peerOptions = {
  ...startOptions,
  metricsPrefix: { ...startOptions.metricsPrefix, defaultText: 'shell_operator_', fallback: 'shell_operator_' },
  logCompat: { ...logCompat, defaultText: 'true', fallback: true },
  admissionOwnNamespace: { ...admissionOwnNamespace, defaultText: 'true', fallback: true },
} as const;

/** The options of `hooklet dev`: those of `hooklet start`, with defaults for a developer's machine. */
export const devOptions = {
  ...startOptions,
  // Default: a folder in the temporary folder of this invocation, which is removed at its end.
  tmpDir: { ...tmpDir, defaultText: 'one of its own', fallback: '' },
  listenAddress: { ...listenAddress, defaultText: '127.0.0.1', fallback: '127.0.0.1' },
  listenPort: { ...listenPort, defaultText: '0', fallback: 0 },
  httpTriggers: { ...httpTriggers, defaultText: 'true', fallback: true },
  uiPort: { ...pageOptions.uiPort, defaultText: '0', fallback: 0 },
} as const;
