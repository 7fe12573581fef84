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

/** Reads what a container left. Exit code 0 without a report is no success: nobody says that anything was done. */
export function readReport({ container, exitCode, reason, message }: EndedContainer): Report {
  if (container !== 'engine') {
    const what = container === 'check' ? 'the check of the dump' : 'the command';
    const failed = container === 'check' ? 'CheckFailed' : 'CommandFailed';
    return { reason: failed, message: `${what} ended with exit code ${exitCode}: ${shortened(message)}` };
  }
  const fields = fieldsOf(message);
  if (fields['format'] !== FORMAT)
    return { ...withoutReport(exitCode, reason), message: unsaid(exitCode, reason, message) };
  const said = { reason: word(fields['reason']), message: shortened(text(fields['message'])) };
  if (fields['outcome'] !== 'succeeded' || exitCode !== 0) return { ...said, ...lockIn(fields['lock']) };
  return {
    ...said,
    done: {
      backup: text(fields['backup']),
      takenAt: text(fields['takenAt']),
      bytes: count(fields['bytes']),
      kept: count(fields['kept']),
      verified: text(fields['verified']),
      answer: text(fields['answer']).slice(0, 200),
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
  return typeof holder === 'string' && typeof since === 'string' ? { lock: { holder, since } } : {};
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

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** A reason of a condition is one word. */
function word(value: unknown): string {
  const found = text(value);
  return /^[A-Z][A-Za-z0-9]{0,63}$/.test(found) ? found : 'Unexpected';
}

function shortened(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
}
