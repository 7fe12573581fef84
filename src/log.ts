import { formatCompatLine } from './lib/compat-line.ts';
import { formatJsonLine } from './lib/json-line.ts';
import { openLineOutput } from './lib/line-output.ts';
import { printableLine } from './lib/printable.ts';
import { formatTextHead, formatTextLine } from './lib/text-line.ts';

/** The fields of a log line. The common names are declared here so that they mean the same everywhere. */
export interface LogFields {
  readonly hook?: string;
  readonly binding?: string;
  readonly queue?: string;
  readonly event?: string;
  /** The id of a run of a hook. */
  readonly run?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly attempt?: number;
  readonly durationMs?: number;
  readonly exitCode?: number;
  readonly err?: unknown;
  readonly [field: string]: unknown;
}

/** The interface for all logging: a constant message, with the values in fields. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Returns a logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  /** `json`: one JSON object per line; `compat`: one as shell-operator writes it; `text`: for people. */
  readonly format: 'json' | 'compat' | 'text';
  readonly level: LogLevel;
  /** Called with whole lines; default: standard output without waiting, so lines may be dropped when it is not read. */
  readonly write?: (line: string) => void;
  /** Whether `text` is colored; default false. */
  readonly colors?: boolean;
  readonly now?: () => Date;
}

/** The level of the log, which may change while the program runs. */
export interface LogLevels {
  level: LogLevel;
}

/** The logger that all others are children of; its level is that of all of them. */
export interface RootLogger extends Logger, LogLevels {
  /** The number of lines that were dropped because standard output was not read. */
  readonly droppedLines: number;
}

const WEIGHTS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

const GAP_MESSAGE = 'log lines were dropped here, standard output was not read';

/** Creates the root logger, the only writer of log lines. */
export function createLogger(options: LoggerOptions): RootLogger {
  const { format, colors = false } = options;
  const levels: LogLevels = { level: options.level };
  const line = LINES[format];
  const now = options.now ?? (() => new Date());
  const gap = (lines: number): string => {
    const fields = { lines };
    return line({ time: now(), level: 'warn', message: GAP_MESSAGE, fields, colors, stacks: false });
  };
  const output = options.write === undefined ? openLineOutput(1, { gap }) : undefined;
  const write = options.write ?? ((text: string) => output?.write(text));
  const sink = createSink({ write, now, levels, line, colors }, {});
  return {
    ...gated(levels, sink),
    get level() {
      return levels.level;
    },
    set level(level) {
      levels.level = level;
    },
    get droppedLines() {
      return output?.droppedLines ?? 0;
    },
  };
}

interface Sink {
  write(level: LogLevel, fields: LogFields, message: string): void;
  child(fields: LogFields): Sink;
}

function gated(levels: LogLevels, sink: Sink): Logger {
  const at = (level: LogLevel) => {
    const weight = WEIGHTS[level];
    return (fields: LogFields, message: string): void => {
      if (weight >= WEIGHTS[levels.level]) sink.write(level, fields, message);
    };
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => gated(levels, sink.child(fields)),
  };
}

interface Line {
  readonly time: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
  readonly colors: boolean;
  /** Whether errors are written with their stacks. */
  readonly stacks: boolean;
}

interface SinkOptions {
  readonly write: (line: string) => void;
  readonly now: () => Date;
  readonly line: (line: Line) => string;
  readonly colors: boolean;
  readonly levels: LogLevels;
}

function createSink(options: SinkOptions, bound: LogFields): Sink {
  const { write, now, line, colors, levels } = options;
  return {
    write(level, fields, message) {
      const stacks = levels.level === 'debug';
      write(line({ time: now(), level, message, fields: { ...bound, ...fields }, colors, stacks }));
    },
    child: (fields) => createSink(options, { ...bound, ...fields }),
  };
}

const LINES: Readonly<Record<LoggerOptions['format'], (line: Line) => string>> = {
  json: formatJsonLine,
  compat: formatCompatLine,
  text: textLine,
};

/** A line of hook output has a short form without fields: `hook.sh | text`. */
function textLine(line: Line): string {
  const { hook, line: printed } = line.fields;
  if (line.message !== 'hook output' || hook === undefined || typeof printed !== 'string') return formatTextLine(line);
  return `${formatTextHead(line)} ${printableLine(hook)} | ${printableLine(printed)}\n`;
}
