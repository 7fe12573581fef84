import { isatty } from 'node:tty';
import { createLogger, type RootLogger } from '../../log.ts';
import { logStyle } from './log-style.ts';
import type { StartOptions } from './options.ts';

/** Opens the logger that the options ask for; `otherwise` is the format of `auto` without a terminal. */
export function openLog(
  { logFormat, logLevel, logCompat }: Pick<StartOptions, 'logFormat' | 'logLevel' | 'logCompat'>,
  otherwise: 'json' | 'text',
  write?: (line: string) => void,
): RootLogger {
  return createLogger({
    ...logStyle(logFormat, otherwise, { isTerminal: isatty(1), env: process.env }),
    ...(logCompat && { format: 'compat' }),
    level: logLevel,
    ...(write && { write }),
  });
}
