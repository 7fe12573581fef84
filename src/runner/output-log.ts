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
}

/** Logs the output of hooks; `fields` identify the run. */
export interface OutputLog {
  /** Logs the output of a run. */
  output(fields: LogFields, output: HookOutput): void;
  /** Logs a line that was printed outside of any run. */
  line(fields: LogFields, line: OutputLine): void;
}

/** Creates the log of hook output. */
export function createOutputLog({ log, logProxyHookJson }: OutputLogOptions): OutputLog {
  const line = (fields: LogFields, { stream, line: text }: OutputLine): void => {
    const own = logProxyHookJson ? parseObject(text) : undefined;
    if (own === undefined) {
      log.info({ ...fields, output: stream, line: text }, 'hook output');
      return;
    }
    const { level, msg, time: _time, ...rest } = own;
    const message = typeof msg === 'string' && msg !== '' ? msg : 'hook result';
    log[parseLevel(level)]({ ...fields, output: stream, ...prefixed(rest), proxyJsonLog: true }, message);
  };
  return {
    line,
    output: (fields, output) => {
      if (output.type === 'line') {
        line(fields, output.line);
        return;
      }
      const { level, message, fields: own } = output.entry;
      log[level]({ ...fields, ...prefixed(own) }, message);
    },
  };
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
