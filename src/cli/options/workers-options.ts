import { isLeaseName, isNamespaceName } from '../../lib/lease-name.ts';
import { shown } from '../../lib/shown.ts';
import type { WorkersAccount, WorkersSettings } from '../../operator/remote/settings.ts';
import { version } from '../program/version.ts';
import { duration, words, type OptionSpec } from './spec.ts';

const DEFAULT_ACCOUNT = 'hooklet-workers';
const MIN_SILENCE_MS = 5000;
const MAX_SILENCE_MS = 600_000;

/** The options of workers, which execute the runs of hooks with `executor: workers`. */
export const workersOptions = {
  workersAccounts: workersAccounts(),
  workersSilenceMs: workersSilence(),
} as const;

interface WorkersOptions {
  readonly workersAccounts: readonly WorkersAccount[];
  readonly workersSilenceMs: number;
}

/** The settings of workers as the operator takes them. */
export function workersSettings({ workersAccounts: accounts, workersSilenceMs }: WorkersOptions): WorkersSettings {
  return { accounts, silenceMs: workersSilenceMs, version };
}

function workersAccounts(): OptionSpec<readonly WorkersAccount[]> {
  const description =
    'ServiceAccounts of workers, as NAME in the namespace of hooklet or NAMESPACE/NAME; several with commas';
  const spec = words('--workers-account <name...>', ['HOOKLET_WORKERS_ACCOUNT'], description);
  return {
    ...spec,
    defaultText: DEFAULT_ACCOUNT,
    fallback: [{ name: DEFAULT_ACCOUNT }],
    parse: (value) => {
      const given = spec.parse(value);
      const wrong = given.filter((one) => accountIn(one) === undefined);
      if (given.length > 0 && wrong.length === 0) return given.flatMap((one) => accountIn(one) ?? []);
      const which = wrong.length === 0 ? '' : `, which is not so of ${wrong.map((one) => shown(one)).join(' and ')}`;
      throw new Error(`names of ServiceAccounts, as NAME or NAMESPACE/NAME${which}`);
    },
  };
}

/** Undefined where a text names none. */
function accountIn(text: string): WorkersAccount | undefined {
  const [name = '', namespace, ...more] = text.split('/').toReversed();
  if (more.length > 0 || !isLeaseName(name)) return undefined;
  if (namespace === undefined) return { name };
  return isNamespaceName(namespace) ? { namespace, name } : undefined;
}

function workersSilence(): OptionSpec<number> {
  const spec = duration(
    '--workers-silence <duration>',
    ['HOOKLET_WORKERS_SILENCE'],
    '15s',
    'after so long without a word of a worker its hooks have ended, and its runs are handed out again',
  );
  return {
    ...spec,
    parse: (value) => {
      const parsed = spec.parse(value);
      if (parsed >= MIN_SILENCE_MS && parsed <= MAX_SILENCE_MS) return parsed;
      throw new Error('a duration from 5s to 10m');
    },
  };
}
