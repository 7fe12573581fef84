import { readdirSync, readFileSync } from 'node:fs';
import type { MetricFamily } from '../../lib/exposition.ts';
import { counterOf, gaugeOf } from './metric-reading.ts';

/** The metrics that the operating system has of this process; without `/proc` only some of them. */
export function processFamilies(): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    counterOf('process_cpu_user_seconds_total', 'CPU time in user mode, in seconds.', user / 1e6),
    counterOf('process_cpu_system_seconds_total', 'CPU time in the kernel, in seconds.', system / 1e6),
    counterOf(
      'process_cpu_seconds_total',
      'CPU time in user mode and in the kernel, in seconds.',
      (user + system) / 1e6,
    ),
    gaugeOf(
      'process_start_time_seconds',
      'When the process started, in seconds since 1970.',
      Math.round(performance.timeOrigin / 1000),
    ),
    gaugeOf('process_resident_memory_bytes', 'Memory that the process occupies, in bytes.', process.memoryUsage.rss()),
    ...procFamilies(),
  ];
}

function procFamilies(): readonly MetricFamily[] {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const limits = readFileSync('/proc/self/limits', 'utf8');
    // Reading the folder opens one more descriptor.
    const openFiles = readdirSync('/proc/self/fd').length - 1;
    return [
      gaugeOf('process_virtual_memory_bytes', 'Address space of the process, in bytes.', statusBytes(status, 'VmSize')),
      gaugeOf('process_heap_bytes', 'Part of the address space for data, in bytes.', statusBytes(status, 'VmData')),
      gaugeOf('process_open_fds', 'Open files and connections.', openFiles),
      gaugeOf('process_max_fds', 'How many files and connections may be open.', fileLimit(limits)),
    ];
  } catch {
    // Another operating system, or a file that a container hides.
    return [];
  }
}

/** Reads a line such as `VmSize:	 1024 kB`. */
function statusBytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/** Reads the soft limit from a line such as `Max open files   1024   524288   files`. */
function fileLimit(limits: string): number {
  const limit = /^Max open files +(\S+)/m.exec(limits)?.[1];
  return limit === 'unlimited' ? Infinity : Number(limit);
}
