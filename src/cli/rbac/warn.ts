import { printable } from '../../lib/printable.ts';

/** Prints what to know on standard error. */
export function warn(text: string): void {
  process.stderr.write(printable(`warning: ${text}\n`));
}
