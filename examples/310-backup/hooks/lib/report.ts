import type { EndedContainer } from './seen.ts';

/** What the engine says at the end of its Pod: its termination message, which needs no right in the cluster. */
export interface Report {
  readonly reason: string;
  readonly message: string;
  /** Present when it succeeded. */
  readonly done?: Done;
  /** Who has the lock of the folder, where that is why it failed. */
  readonly lock?: Lock;
}

/** What a backup, drill or removal has done; the fields that it has. */
export interface Done {
  readonly backup: string;
  readonly takenAt: string;
  readonly bytes: number;
  readonly kept: number;
  readonly verified: string;
  readonly answer: string;
  readonly seconds: number;
}

export interface Lock {
  readonly holder: string;
  readonly since: string;
}

const FORMAT = `${'example.hooklet.dev'}/report/v1`;
const MOST = 800;
const NAME = /^\d{8}T\d{6}Z-[\w-]{1,64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const HOLDER = /^[\w./-]{1,300}$/;

/** Reads what a container left. Exit code 0 without a report is no success: nobody says that anything was done. */
export function readReport({ container, exitCode, reason, message }: EndedContainer): Report {
  if (container !== 'engine') {
    const what = container === 'check' ? 'the check of the dump' : 'the command';
    const failed = container === 'check' ? 'CheckFailed' : 'CommandFailed';
    // What it printed may have a password in it, and more people may read a Backup than a Secret.
    const where = `see the log of the container ${container}`;
    return { reason: failed, message: `${what} ended with exit code ${exitCode}: ${where}` };
  }
  const fields = fieldsOf(message);
  if (fields['format'] !== FORMAT)
    return { ...withoutReport(exitCode, reason), message: unsaid(exitCode, reason, message) };
  const said = { reason: word(fields['reason']), message: shortened(asFieldNames(text(fields['message']))) };
  if (fields['outcome'] !== 'succeeded' || exitCode !== 0) return { ...said, ...lockIn(fields['lock']) };
  return {
    ...said,
    done: {
      backup: matching(fields['backup'], NAME),
      takenAt: matching(fields['takenAt'], TIME),
      bytes: count(fields['bytes']),
      kept: count(fields['kept']),
      verified: matching(fields['verified'], /^(?:yes|read|no)$/),
      answer: shortened(text(fields['answer'])).slice(0, 200),
      seconds: count(fields['seconds']),
    },
  };
}

function withoutReport(exitCode: number, reason: string): Pick<Report, 'reason'> {
  if (reason === 'OOMKilled') return { reason };
  return { reason: exitCode === 0 ? 'NoReport' : 'Unexpected' };
}

function unsaid(exitCode: number, reason: string, message: string): string {
  if (reason === 'OOMKilled') return 'the container took more memory than it may have: raise spec.room.memory';
  return `the engine ended with exit code ${exitCode} and no report: look at the log of its Pod: ${shortened(message)}`;
}

function lockIn(value: unknown): { readonly lock?: Lock } {
  const { holder, since } = asFields(value);
  const lock = { holder: matching(holder, HOLDER), since: matching(since, TIME) };
  return lock.holder === '' || lock.since === '' ? {} : { lock };
}

function fieldsOf(message: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(message);
    return asFields(value);
  } catch {
    return {};
  }
}

/** The fields of an object; none of anything else. */
export function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A text of a form; empty where it has another. */
function matching(value: unknown, form: RegExp): string {
  return typeof value === 'string' && form.test(value) ? value : '';
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** A reason of a condition is one word. */
function word(value: unknown): string {
  const found = text(value);
  return /^[A-Z][A-Za-z0-9]{0,63}$/.test(found) ? found : 'Unexpected';
}

/** What the engines call their settings, as fields of a Backup. */
const SETTINGS: Readonly<Record<string, string>> = {
  BACKUP_KEEP: 'spec.retention.keep',
  BACKUP_KEEP_DAYS: 'spec.retention.keepDays',
  BACKUP_FOLDER: 'spec.destination.folder',
  BACKUP_TAKE_OVER: 'spec.destination.takeOver',
  BACKUP_TIMEOUT: 'spec.deadline',
  BACKUP_LOCK_TIMEOUT: 'spec.lockTimeout',
  BACKUP_VERIFY: 'spec.verify',
  BACKUP_AGE_RECIPIENTS: 'spec.encryption.recipients',
  BACKUP_AGE_IDENTITY: 'spec.encryption.identitySecretName',
  BACKUP_SCRATCH_LIMIT: 'spec.room.disk',
  S3_BUCKET: 'spec.destination.bucket',
  S3_ENDPOINT: 'spec.destination.endpoint',
  S3_PREFIX: 'spec.destination.prefix',
  AWS_ACCESS_KEY_ID: 'accessKey',
  AWS_SECRET_ACCESS_KEY: 'secretKey',
  DRILL_QUERY: 'spec.drill.query',
  DRILL_EXPECT: 'spec.drill.expect',
  DRILL_MINIMUM: 'spec.drill.minimum',
};

function asFieldNames(message: string): string {
  return message.replaceAll(/\b[A-Z][A-Z0-9]*_[A-Z_0-9]+\b/g, (setting) => SETTINGS[setting] ?? setting);
}

/** One line without characters that a terminal obeys. */
function shortened(message: string): string {
  const line = message.replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
}
