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
