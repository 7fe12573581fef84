import type { Logger, LogFields } from '../log.ts';
import type { HookOutput } from './executor.ts';
import type { OutputLine } from './spawner-protocol.ts';
import type { HookLogEntry } from './warm-protocol.ts';

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];
type Level = HookLogEntry['level'];

export interface OutputLogOptions {
  readonly log: Logger;
  /** Whether a line that is a JSON object becomes a log line of its own, with `hook_` before its keys. */
  readonly logProxyHookJson: boolean;
  /** Whether output is logged as shell-operator does: a line is the message, and JSON objects are log lines. */
  readonly logCompat?: boolean;
}

/** Logs the output of hooks; `fields` identify the run. */
export interface OutputLog {
  /** Logs the output of a run. */
  output(fields: LogFields, output: HookOutput): void;
  /** Logs a line that was printed outside of any run. */
  line(fields: LogFields, line: OutputLine): void;
}

/** Creates the log of hook output. */
export function createOutputLog({ log, logProxyHookJson, logCompat = false }: OutputLogOptions): OutputLog {
  const plainLine = (fields: LogFields, { stream, line: text }: OutputLine): void => {
    const own = logProxyHookJson ? parseObject(text) : undefined;
    if (own === undefined) {
      log.info({ ...fields, output: stream, line: text }, 'hook output');
      return;
    }
    const { level, msg, time: _time, ...rest } = own;
    const message = typeof msg === 'string' && msg !== '' ? msg : 'hook result';
    log[parseLevel(level)]({ ...fields, output: stream, ...prefixed(rest), proxyJsonLog: true }, message);
  };
  const line = logCompat ? compatLine(log) : plainLine;
  return {
    line,
    output: (fields, output) => {
      if (output.type === 'line') {
        line(fields, output.line);
        return;
      }
      const { level, message, fields: own } = output.entry;
      log[level]({ ...fields, ...prefixed(own), ...(logCompat && { logger: LOGGER }) }, message);
    },
  };
}

// The part of shell-operator that logs what hooks print.
const LOGGER = 'shell-operator.hook-manager.hook.executor';
const MAX_OBJECT = 10_000;

function compatLine(log: Logger): OutputLog['line'] {
  return (run, { stream, line: printed }) => {
    const text = printed.trim();
    if (text === '') return;
    const fields = { ...run, logger: LOGGER, output: stream };
    const own = parseObject(text);
    if (own === undefined) {
      log.info(fields, text);
      return;
    }
    const { level, msg, time: _time, ...rest } = own;
    const others = typeof level === 'string' ? rest : { ...rest, ...('level' in own && { level }) };
    const { at, shown } = compatLevel(level);
    const message = typeof msg === 'string' ? msg : 'hook result';
    log[at]({ ...fields, ...shown, ...cut(prefixed(others)), proxyJsonLog: true }, message);
  };
}

/** Levels that are not ours are shown in the field `level`; a word that shell-operator does not know is `info`. */
function compatLevel(level: unknown): { readonly at: Level; readonly shown?: { readonly level: string } } {
  const name = typeof level === 'string' ? level.toLowerCase() : '';
  if (name === 'fatal') return { at: 'error', shown: { level: name } };
  if (name === 'trace') return { at: 'debug', shown: { level: name } };
  return { at: LEVELS.find((known) => known === name) ?? 'info' };
}

function cut(fields: LogFields): LogFields {
  const text = JSON.stringify(fields);
  return text.length <= MAX_OBJECT ? fields : { hook_truncated: `${text.slice(0, MAX_OBJECT)}:truncated` };
}

// The prefix keeps a hook's fields apart from ours.
function prefixed(fields: Readonly<Record<string, unknown>>): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [`hook_${key}`, value]));
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

function parseLevel(level: unknown): Level {
  const name = String(level).toLowerCase();
  if (name === 'warning') return 'warn';
  if (name === 'fatal' || name === 'panic') return 'error';
  return LEVELS.find((known) => known === name) ?? 'info';
}
