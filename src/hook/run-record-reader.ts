import type { RunLine, RunNext, RunObject, RunPart, RunPatch, RunRecord, RunRequest, RunResult } from './run-record.ts';

/** A record that was stored, with the lines that were stored beside it. */
export interface StoredRun {
  readonly record: RunRecord;
  readonly log: readonly RunLine[];
}

/** Reads a stored run; undefined for a value that is none. Fields of unknown names are left out. */
export function readStoredRun(value: unknown): StoredRun | undefined {
  const record = readRunRecord(value);
  return record && { record, log: readLog(value) };
}

type Read<T> = (value: unknown) => T | undefined;
type Reads<T> = { readonly [K in keyof T]-?: Read<T[K]> };

const text: Read<string> = (value) => (typeof value === 'string' ? value : undefined);
const number: Read<number> = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const bool: Read<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);
const time: Read<string> = (value) =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined;

function word<T extends string>(...words: readonly T[]): Read<T> {
  return (value) => words.find((one) => one === value);
}

/** A list without the elements that cannot be read; absent is empty. */
function list<T>(read: Read<T>): Read<readonly T[]> {
  return (value) => (Array.isArray(value) ? value.map(read).filter((one) => one !== undefined) : []);
}

/** The same, absent where it is empty. */
function present<T>(read: Read<readonly T[]>): Read<readonly T[]> {
  return (value) => {
    const found = read(value);
    return found === undefined || found.length === 0 ? undefined : found;
  };
}

/** Undefined unless each field of `required` can be read; another one that cannot is left out. */
function fields<T extends object>(required: readonly (keyof T & string)[], reads: Reads<T>): Read<T> {
  return (value) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const members = new Map<string, unknown>(Object.entries(value));
    const entries = Object.entries<Read<unknown>>(reads)
      .map(([name, read]): readonly unknown[] => [name, read(members.get(name))])
      .filter(([, read]) => read !== undefined);
    const names = new Set(entries.map(([name]) => name));
    return required.every((name) => names.has(name)) ? Object.fromEntries(entries) : undefined;
  };
}

const outcome = word('running', 'succeeded', 'later', 'failed', 'replaced', 'interrupted');

const readObject: Read<RunObject> = fields(['kind', 'name', 'event'], {
  kind: text,
  namespace: text,
  name: text,
  event: text,
  generation: number,
});

const readPatch: Read<RunPatch> = fields(['operation', 'target', 'change'], {
  operation: text,
  target: text,
  change: text,
});

const readNext: Read<RunNext> = fields(['type'], {
  type: word('done', 'retry', 'drop', 'dead', 'keep', 'answer'),
  again: time,
  at: word('head', 'later'),
  why: text,
});

const readResult: Read<RunResult> = fields([], { reason: text, message: text, output: text });

const readRequest: Read<RunRequest> = fields(['user'], {
  user: text,
  verdict: word('allowed', 'denied'),
  message: text,
});

const readPart: Read<RunPart> = fields(['objects', 'outcome', 'next'], {
  objects: list(readObject),
  outcome,
  error: text,
  next: readNext,
});

const REQUIRED = ['id', 'hook', 'binding', 'queue', 'reason', 'attempt', 'queued', 'started', 'outcome'] as const;

/** Reads a record; undefined for a value that is none. */
export const readRunRecord: Read<RunRecord> = fields([...REQUIRED, 'waitedMs', 'lines'], {
  id: text,
  hook: text,
  binding: text,
  queue: text,
  reason: text,
  attempt: number,
  objects: list(readObject),
  moreObjects: number,
  queued: time,
  started: time,
  ended: time,
  waitedMs: number,
  outcome,
  failedBy: word('hook', 'output', 'patch', 'environment'),
  permanent: bool,
  error: text,
  exitCode: number,
  signal: text,
  timedOut: bool,
  durationMs: number,
  userCpuMs: number,
  systemCpuMs: number,
  maxRssBytes: number,
  patches: list(readPatch),
  morePatches: number,
  warnings: present(list(text)),
  result: readResult,
  request: readRequest,
  requestIds: present(list(text)),
  next: readNext,
  parts: present(list(readPart)),
  lines: number,
});

const readLine: Read<RunLine> = fields(['stream', 'line'], { stream: word('stdout', 'stderr', 'log'), line: text });

function readLog(value: unknown): readonly RunLine[] {
  return typeof value === 'object' && value !== null && 'log' in value ? readRunLines(value.log) : [];
}

/** The lines of a list; what is no line is left out. */
export function readRunLines(value: unknown): readonly RunLine[] {
  return list(readLine)(value) ?? [];
}
