import type { LogFields, Logger } from '../../src/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: LogFields;
  readonly message: string;
}

/** A logger that records its lines. */
export function recordingLogger(lines: LogLine[] = [], bound: LogFields = {}): Logger & { readonly lines: LogLine[] } {
  const log = (level: LogLine['level']) => (fields: LogFields, message: string) => {
    lines.push({ level, fields: { ...bound, ...fields }, message });
  };
  return {
    lines,
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (fields) => recordingLogger(lines, { ...bound, ...fields }),
  };
}
