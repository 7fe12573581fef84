import { readFileSync } from 'node:fs';

/**
 * Whether a process would go on if the machine let it: it waits for a processor (R) or for a disk (D), or the system
 * does not tell.
 */
export function isHeldByMachine(pid: number): boolean {
  try {
    // The name in parentheses may hold anything; the state follows it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return 'RD'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
