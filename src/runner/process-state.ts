import { readFileSync } from 'node:fs';

/** Whether a process is delayed by the machine: it waits for a CPU (R) or a disk (D), or its state cannot be read. */
export function isHeldByMachine(pid: number): boolean {
  try {
    // The name in parentheses may contain anything; the state follows it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return 'RD'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
