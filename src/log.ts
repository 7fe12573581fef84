import { pino } from 'pino';

import { formatTextHead, formatTextLine } from './lib/text-line.ts';

/** The fields of a log line; names are fixed here so that they mean the same everywhere. */
export interface LogFields {
  readonly hook?: string;
  readonly binding?: string;
  readonly queue?: string;
  readonly event?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly attempt?: number;
  readonly durationMs?: number;
  readonly exitCode?: number;
  readonly err?: unknown;
  readonly [field: string]: unknown;
}

/** What every part logs through: constant message, values in fields. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  /** `json`: a JSON object a line; `text`: for people. */
  readonly format: 'json' | 'text';
  readonly level: LogLevel;
  /** Takes whole lines; default standard output, written at once so that nothing is lost at exit. */
  readonly write?: (line: string) => void;
  /** For `text`; default none. */
  readonly colors?: boolean;
  readonly now?: () => Date;
}

/** A logger whose level, and that of all its children, can be changed while it runs. */
export type RootLogger = Logger & { setLevel(level: LogLevel): void };

const WEIGHTS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const MAX_CAUSES = 5;

/** The one place where log lines are written. */
export function createLogger(options: LoggerOptions): RootLogger {
  const { format, write } = options;
  const gate: Gate = { threshold: WEIGHTS[options.level] };
  const destination = write === undefined ? pino.destination({ dest: 1, sync: true }) : { write };
  const now = options.now ?? (() => new Date());
  const sink =
    format === 'json'
      ? jsonSink(createPino(gate, destination, now))
      : textSink({ destination, now, gate, colors: options.colors ?? false }, {});
  return {
    ...gated(gate, sink),
    setLevel(level) {
      gate.threshold = WEIGHTS[level];
    },
  };
}

/** Shared by a logger and all its children. */
interface Gate {
  threshold: number;
}

interface Sink {
  write(level: LogLevel, fields: LogFields, message: string): void;
  child(fields: LogFields): Sink;
}

function gated(gate: Gate, sink: Sink): Logger {
  const at = (level: LogLevel) => {
    const weight = WEIGHTS[level];
    return (fields: LogFields, message: string): void => {
      if (weight >= gate.threshold) sink.write(level, fields, message);
    };
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => gated(gate, sink.child(fields)),
  };
}

function createPino(gate: Gate, destination: pino.DestinationStream, now: () => Date): pino.Logger {
  const options: pino.LoggerOptions = {
    level: 'debug',
    base: null,
    timestamp: () => `,"time":"${now().toISOString()}"`,
    formatters: { level: (level) => ({ level }) },
    serializers: { err: (err: unknown) => serializeError(err, showsStacks(gate), MAX_CAUSES) },
  };
  return pino(options, destination);
}

function jsonSink(logger: pino.Logger): Sink {
  return {
    write: (level, fields, message) => logger[level](fields, message),
    child: (fields) => jsonSink(logger.child(fields)),
  };
}

function serializeError(err: unknown, stacks: boolean, depth: number): unknown {
  if (!(err instanceof Error)) return err;
  const { name: type, message, stack, cause } = err;
  return {
    type,
    message,
    ...('code' in err && { code: err.code }),
    ...(stacks && { stack }),
    ...(cause !== undefined && depth > 0 && { cause: serializeError(cause, stacks, depth - 1) }),
  };
}

interface TextOptions {
  readonly destination: { write(line: string): unknown };
  readonly now: () => Date;
  readonly gate: Gate;
  readonly colors: boolean;
}

function textSink(options: TextOptions, bound: LogFields): Sink {
  const { destination, now, gate, colors } = options;
  return {
    write(level, fields, message) {
      const all = { ...bound, ...fields };
      const head = { time: now(), level, colors };
      const line = message === 'hook output' ? hookLine(head, all) : undefined;
      destination.write(line ?? formatTextLine({ ...head, message, fields: all, stacks: showsStacks(gate) }));
    },
    child: (fields) => textSink(options, { ...bound, ...fields }),
  };
}

/** What a hook printed needs no fields: `hook.sh | text`. */
function hookLine(head: Parameters<typeof formatTextHead>[0], { hook, line }: LogFields): string | undefined {
  if (hook === undefined || typeof line !== 'string') return undefined;
  return `${formatTextHead(head)} ${hook} | ${line}\n`;
}

function showsStacks({ threshold }: Gate): boolean {
  return threshold === WEIGHTS.debug;
}
