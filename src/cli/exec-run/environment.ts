import { UsageError } from '../../errors.ts';
import { JOB_ENV, JOB_TOKEN_FILE } from '../../hook/job-desk.ts';
import { isJobName } from '../../hook/job-wire.ts';
import { shown } from '../../lib/shown.ts';

/** What the container is told of its run. */
export interface JobEnvironment {
  readonly job: string;
  readonly urls: readonly URL[];
  /** PEM. */
  readonly authority: string;
  readonly tokenFile: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the variables of the container; throws `UsageError` with all that is wrong with them. */
export function readJobEnvironment(env: Env): JobEnvironment {
  const problems: string[] = [];
  const wrong = (name: string, expected: string): void => {
    problems.push(`${name}: got ${shown(env[name] ?? '')}, expected ${expected}`);
  };
  const job = env[JOB_ENV.job] ?? '';
  if (!isJobName(job)) wrong(JOB_ENV.job, 'the name of a Job, which is a DNS label');
  const texts = (env[JOB_ENV.urls] ?? '').split(',').map((text) => text.trim());
  const urls = texts.flatMap((text) => (isPlace(text) ? [new URL(text)] : []));
  if (urls.length < texts.length) wrong(JOB_ENV.urls, 'https URLs with commas between them');
  const authority = env[JOB_ENV.authority] ?? '';
  if (!authority.includes('-----BEGIN CERTIFICATE-----')) wrong(JOB_ENV.authority, 'certificates as PEM');
  if (problems.length > 0) {
    throw new UsageError(`exec-run is what hooklet runs in the Pods of Jobs:\n${problems.join('\n')}`);
  }
  const tokenFile = env[JOB_ENV.tokenFile] ?? '';
  return { job, urls, authority, tokenFile: tokenFile === '' ? JOB_TOKEN_FILE : tokenFile };
}

function isPlace(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:';
}

/** The environment of the hook: that of the container, without what is for this program alone. */
export function hookEnvironment(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name !== JOB_ENV.job && !name.startsWith(`${JOB_ENV.job}_`)),
  );
}
