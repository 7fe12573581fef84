import { availableParallelism } from 'node:os';
import { DEFAULT_POOL, isPoolName, POOL_TEXT } from '../../hook/executor-rule.ts';
import { JOB_TOKEN_FILE } from '../../hook/job-desk.ts';
import { MAX_CAPACITY } from '../../hook/work-desk.ts';
import { startOptions } from './options.ts';
import { resolveOptions, type Flags, type Options } from './resolve.ts';
import { duration, number, text, words, type OptionSpec } from './spec.ts';

const RUNS_PER_CPU = 2;
const LEAST_CAPACITY = 2;

const { hooksDir, tmpDir, listenAddress, listenPort, logLevel, logFormat, logProxyHookJson, logCompat } = startOptions;

/** The options of `hooklet work`, in the order of `--help`. */
export const workOptions = {
  operator: operatorUrls(),
  pool: {
    ...text(
      '--pool <name>',
      ['HOOKLET_POOL'],
      DEFAULT_POOL,
      'pool whose runs it executes, of settings.executor.workers',
    ),
    parse: poolName,
  },
  capacity: capacity(),
  tokenFile: text(
    '--token-file <file>',
    ['HOOKLET_TOKEN_FILE'],
    JOB_TOKEN_FILE,
    'token by which the operator knows the Pod; read again for each request',
  ),
  caFile: text(
    '--ca-file <file>',
    ['HOOKLET_CA_FILE'],
    '/var/run/secrets/hooklet.dev/ca.crt',
    'certificates that must have signed that of the operator; without the file: those that Node trusts',
  ),
  drainLimitMs: duration(
    '--drain-limit <duration>',
    ['HOOKLET_DRAIN_LIMIT'],
    '10m',
    'how long its runs may take after SIGTERM, before they are ended and handed to another worker',
  ),
  hooksDir,
  tmpDir,
  listenAddress,
  listenPort,
  logLevel,
  logFormat,
  logProxyHookJson,
  logCompat,
} as const;

export type WorkOptions = Options<typeof workOptions>;

/** The variables that are for the worker alone, and not for its hooks. */
export const WORK_VARIABLES: ReadonlySet<string> = new Set(
  [
    workOptions.operator,
    workOptions.pool,
    workOptions.capacity,
    workOptions.tokenFile,
    workOptions.caFile,
    workOptions.drainLimitMs,
  ].flatMap(({ env }) => env),
);

/** Resolves the options; throws `UsageError` with all that is wrong, also that no operator is given. */
export function resolveWorkOptions(flags: Flags, env: NodeJS.ProcessEnv): WorkOptions {
  const isGiven = (env['HOOKLET_OPERATOR'] ?? '') !== '';
  return resolveOptions(workOptions, isGiven ? flags : { operator: '', ...flags }, env);
}

function operatorUrls(): OptionSpec<readonly URL[]> {
  const description =
    'where the operator is, such as https://hooklet-jobs.hooklet.svc:9682 (required); may be given several times';
  const { parse, ...spec } = words('--operator <url...>', ['HOOKLET_OPERATOR'], description);
  return {
    ...spec,
    fallback: [],
    parse: (value) => {
      const urls = parse(value).map((word) => URL.parse(word));
      const places = urls.filter((url) => url !== null).filter(isPlace);
      if (places.length === urls.length && places.length > 0) return places;
      throw new Error('URLs such as https://host:9682, without a user, a path and a query');
    },
  };
}

function isPlace(url: URL): boolean {
  return url.protocol === 'https:' && url.href === `${url.origin}/`;
}

function poolName(value: string): string {
  if (isPoolName(value)) return value;
  throw new Error(POOL_TEXT);
}

function capacity(): OptionSpec<number> {
  const description = `how many runs it executes at the same time, at most ${MAX_CAPACITY}`;
  const spec = number('--capacity <number>', ['HOOKLET_CAPACITY'], 0, description);
  return {
    ...spec,
    defaultText: 'twice the CPUs',
    fallback: Math.min(MAX_CAPACITY, Math.max(LEAST_CAPACITY, RUNS_PER_CPU * availableParallelism())),
    parse: (value) => {
      if (/^\d{1,6}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_CAPACITY) return Number(value);
      throw new Error(`a whole number from 1 to ${MAX_CAPACITY}`);
    },
  };
}
