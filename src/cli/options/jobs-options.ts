import type { JobsSettings, PortSettings } from '../../operator/remote/settings.ts';
import { number, port, text, words, type OptionSpec } from './spec.ts';

/** The options of runs in other Pods, `settings.executor` of hooks: of their port, and of Jobs. */
export const jobsOptions = {
  jobsListenPort: port(
    '--jobs-listen-port <port>',
    ['HOOKLET_JOBS_LISTEN_PORT'],
    9682,
    'port where the Pods of Jobs, and workers, get their runs',
  ),
  jobsListenAddress: text(
    '--jobs-listen-address <address>',
    ['HOOKLET_JOBS_LISTEN_ADDRESS'],
    '0.0.0.0',
    'address of that port',
  ),
  jobsServiceName: {
    ...text(
      '--jobs-service-name <name>',
      ['HOOKLET_JOBS_SERVICE_NAME'],
      'hooklet-jobs',
      'headless Service in front of it, and the beginning of the name of the Secret with its certificate',
    ),
    parse: serviceName,
  },
  jobsUrls: jobsUrls(),
  jobsImage: text(
    '--jobs-image <image>',
    ['HOOKLET_JOBS_IMAGE'],
    '',
    'image of Jobs that name none; else that of the own container',
  ),
  jobsMax: atLeastOne('--jobs-max <number>', ['HOOKLET_JOBS_MAX'], 10, 'how many Jobs there are at the same time'),
  jobsPerSecond: number(
    '--jobs-per-second <number>',
    ['HOOKLET_JOBS_PER_SECOND'],
    1,
    'how many Jobs begin in a second, as all Jobs of a cluster share one controller; 0: no limit',
  ),
} as const;

type JobsOptions = {
  readonly [K in keyof typeof jobsOptions]: (typeof jobsOptions)[K] extends OptionSpec<infer T> ? T : never;
};

/** The settings of the port and of Jobs as the operator takes them; certificates are valid as long as those of webhooks. */
export function jobsSettings(
  options: JobsOptions & { readonly webhookCaLifetimeMs: number; readonly webhookCertificateLifetimeMs: number },
): PortSettings & JobsSettings {
  return {
    listenPort: options.jobsListenPort,
    listenAddress: options.jobsListenAddress,
    serviceName: options.jobsServiceName,
    urls: options.jobsUrls,
    image: options.jobsImage,
    maxAtOnce: options.jobsMax,
    authorityMs: options.webhookCaLifetimeMs,
    leafMs: options.webhookCertificateLifetimeMs,
    maxPerSecond: options.jobsPerSecond === 0 ? Number.POSITIVE_INFINITY : options.jobsPerSecond,
  };
}

function serviceName(value: string): string {
  if (/^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(value)) return value;
  throw new Error('the name of a Service: at most 63 small letters, digits and "-"');
}

function jobsUrls(): OptionSpec<readonly string[]> {
  const description =
    'where Pods get their runs, such as https://host:9682; may be given several times; else at the Service';
  const spec = words('--jobs-url <url...>', ['HOOKLET_JOBS_URL'], description);
  return {
    ...spec,
    parse: (value) => {
      const urls = spec.parse(value);
      if (urls.every(isPlace)) return urls;
      throw new Error('URLs such as https://host:9682, without a user, a path and a query');
    },
  };
}

/** Pods ask for paths of their own. */
function isPlace(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.href === `${url.origin}/`;
}

function atLeastOne(...[flag, env, fallback, description]: Parameters<typeof number>): OptionSpec<number> {
  const spec = number(flag, env, fallback, description);
  return {
    ...spec,
    parse: (value) => {
      const parsed = spec.parse(value);
      if (!Number.isSafeInteger(parsed) || parsed < 1) throw new Error('a whole number of 1 or more');
      return parsed;
    },
  };
}
