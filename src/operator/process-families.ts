import { readdirSync, readFileSync } from 'node:fs';
import type { MetricFamily } from '../lib/exposition.ts';
import { counterOf, gaugeOf } from './metric-reading.ts';

/** What the operating system says of this process; without `/proc`, less of it. */
export function processFamilies(): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    counterOf('process_cpu_user_seconds_total', 'Total user CPU time spent in seconds.', user / 1e6),
    counterOf('process_cpu_system_seconds_total', 'Total system CPU time spent in seconds.', system / 1e6),
    counterOf('process_cpu_seconds_total', 'Total user and system CPU time spent in seconds.', (user + system) / 1e6),
    gaugeOf(
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      Math.round(performance.timeOrigin / 1000),
    ),
    gaugeOf('process_resident_memory_bytes', 'Resident memory size in bytes.', process.memoryUsage.rss()),
    ...procFamilies(),
  ];
}

function procFamilies(): readonly MetricFamily[] {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const limits = readFileSync('/proc/self/limits', 'utf8');
    // Reading the folder opens one more, which is closed again.
    const openFiles = readdirSync('/proc/self/fd').length - 1;
    return [
      gaugeOf('process_virtual_memory_bytes', 'Virtual memory size in bytes.', statusBytes(status, 'VmSize')),
      gaugeOf('process_heap_bytes', 'Process heap size in bytes.', statusBytes(status, 'VmData')),
      gaugeOf('process_open_fds', 'Number of open file descriptors.', openFiles),
      gaugeOf('process_max_fds', 'Maximum number of open file descriptors.', fileLimit(limits)),
    ];
  } catch {
    // Another system, or a file that a sandbox hides.
    return [];
  }
}

/** Of a line as `VmSize:	 1024 kB`. */
function statusBytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/** The soft limit, of a line as `Max open files   1024   524288   files`. */
function fileLimit(limits: string): number {
  const limit = /^Max open files +(\S+)/m.exec(limits)?.[1];
  return limit === 'unlimited' ? Infinity : Number(limit);
}
