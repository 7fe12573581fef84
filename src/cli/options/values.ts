import { DEFAULT_PLACE, type DeadLetterPlace } from '../../operator/dead-letters/dead-letter-place.ts';
import type { DebugAddress } from '../../operator/control/open-control.ts';
import type { RunHistoryPlace } from '../../operator/runs/open-history.ts';
import type { ScheduleStatePlace } from '../../operator/schedules/schedule-state.ts';

/** A character that no metric has in its name becomes `_`, as in shell-operator. */
export function metricsPrefix(value: string): string {
  return value.replace(/^\d/, '_').replaceAll(/[^a-zA-Z0-9_:]/gu, '_');
}

/** client-go takes a negative number for no limit. */
export function requestsASecond(value: string): number {
  const parsed = Number(value);
  if (value.trim() === '' || !Number.isFinite(parsed)) throw new Error('a number');
  return Math.max(0, parsed);
}

/** The API server takes the field manager from the user agent, up to its first slash. */
export function fieldManager(value: string): string {
  if (/^(?:[!-.0-~]{1,100})?$/.test(value)) return value;
  throw new Error('at most 100 characters, without spaces and slashes');
}

const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A number of bytes, with a unit of Kubernetes or none. */
export function byteSize(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,12})(Ki|Mi|Gi)?$/.exec(value) ?? [];
  const bytes = Number(digits) * (UNITS[unit] ?? 1);
  if (digits !== '' && bytes >= 2 ** 16 && bytes <= 2 ** 36) return bytes;
  throw new Error('a size from 64Ki to 64Gi, such as 64Mi');
}

/** Where records of runs are kept; undefined: in memory. */
export function parseRunHistory(value: string): RunHistoryPlace | undefined {
  if (value === '') return undefined;
  const path = /^file:(.+)$/.exec(value)?.[1];
  if (path !== undefined) return { type: 'file', path };
  throw new Error('file:<dir>');
}

/** Where the debug API listens beside the socket; undefined: nowhere. An address without a host is loopback. */
export function parseDebugAddress(value: string): DebugAddress | undefined {
  if (value === '') return undefined;
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(value) ?? [];
  if (port === undefined || Number(port) > 65_535) throw new Error('HOST:PORT, or :PORT for this machine alone');
  const address = bracketed ?? plain;
  return { address: address === '' ? '127.0.0.1' : address, port: Number(port) };
}

/** Where the state of schedules is kept; undefined: where it needs to be. */
export function parseScheduleState(value: string): ScheduleStatePlace | undefined {
  if (value === '') return undefined;
  const name = /^configmap(?:\/([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?))?$/.exec(value);
  if (name !== null) return { type: 'configMap', name: name[1] ?? 'hooklet-schedules', isForced: true };
  const path = /^file:(.+)$/.exec(value)?.[1];
  if (path !== undefined) return { type: 'file', path, isForced: true };
  throw new Error('configmap, configmap/<name> or file:<path>');
}

/** Where dead letters and pauses are kept; undefined: where it needs to be. */
export function parseDeadLetters(value: string): DeadLetterPlace | undefined {
  if (value === '') return undefined;
  if (value === 'none') return { type: 'none' };
  const name = /^configmap(?:[:/]([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?))?$/.exec(value);
  if (name !== null) return { type: 'configMap', name: name[1] ?? DEFAULT_PLACE.name, isForced: true };
  const path = /^file:(.+)$/.exec(value)?.[1];
  if (path !== undefined) return { type: 'file', path, isForced: true };
  throw new Error('configmap, configmap:<name>, file:<path> or none');
}
