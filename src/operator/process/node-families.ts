import { getHeapSpaceStatistics, type HeapSpaceInfo } from 'node:v8';
import type { MetricFamily } from '../../lib/exposition.ts';
import { gaugeOf, gaugesOf, seriesOf } from './metric-reading.ts';

/** The metrics of Node and V8: what keeps the event loop alive, the heap, the version. */
export function nodeFamilies(): readonly MetricFamily[] {
  return [...activeFamilies(), ...heapFamilies(), versionFamily()];
}

function activeFamilies(): readonly MetricFamily[] {
  const resources = process.getActiveResourcesInfo();
  const handles = activeOf('_getActiveHandles');
  const requests = activeOf('_getActiveRequests');
  const help = {
    resources: 'Resources that keep the event loop alive, by type.',
    handles: 'Open handles of libuv, by class.',
    requests: 'Requests of libuv in progress, by class.',
  };
  return [
    gaugesOf('nodejs_active_resources', help.resources, byType(resources)),
    gaugeOf(
      'nodejs_active_resources_total',
      'Resources that keep the event loop alive, of all types.',
      resources.length,
    ),
    gaugesOf('nodejs_active_handles', help.handles, byType(handles)),
    gaugeOf('nodejs_active_handles_total', 'Open handles of libuv, of all classes.', handles.length),
    gaugesOf('nodejs_active_requests', help.requests, byType(requests)),
    gaugeOf('nodejs_active_requests_total', 'Requests of libuv in progress, of all classes.', requests.length),
  ];
}

/** Returns the class names of the objects that an undocumented function of `process` lists. */
function activeOf(name: '_getActiveHandles' | '_getActiveRequests'): readonly string[] {
  const list: unknown = Reflect.get(process, name);
  const active: unknown = typeof list === 'function' ? Reflect.apply(list, process, []) : [];
  return Array.isArray(active) ? active.map((one: unknown) => Object(one).constructor.name) : [];
}

function byType(types: readonly string[]): { readonly label: string; readonly values: Map<string, number> } {
  const values = new Map<string, number>();
  for (const type of types) values.set(type, (values.get(type) ?? 0) + 1);
  return { label: 'type', values };
}

function heapFamilies(): readonly MetricFamily[] {
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics();
  return [
    gaugeOf('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap in bytes.', heapTotal),
    gaugeOf('nodejs_heap_size_used_bytes', 'Used part of the JavaScript heap in bytes.', heapUsed),
    gaugeOf('nodejs_external_memory_bytes', 'Memory of JavaScript objects outside the heap in bytes.', external),
    spaceFamily('total', spaces, (space) => space.space_size),
    spaceFamily('used', spaces, (space) => space.space_used_size),
    spaceFamily('available', spaces, (space) => space.space_available_size),
  ];
}

function spaceFamily(
  what: 'total' | 'used' | 'available',
  spaces: readonly HeapSpaceInfo[],
  bytesOf: (space: HeapSpaceInfo) => number,
): MetricFamily {
  const values = spaces.map((space) => [space.space_name.replace(/_space$/, ''), bytesOf(space)] as const);
  const help = `Bytes of each space of the JavaScript heap: ${what}.`;
  return gaugesOf(`nodejs_heap_space_size_${what}_bytes`, help, { label: 'space', values });
}

function versionFamily(): MetricFamily {
  const { version } = process;
  const [major = '', minor = '', patch = ''] = version.replace(/^v/, '').split('.');
  const series = [seriesOf({ version, major, minor, patch }, 1)];
  return { name: 'nodejs_version_info', help: 'The version of Node, in labels; always 1.', type: 'gauge', series };
}
