import { at, numberAt, objectAt, objectsAt, textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { isTerminating } from '../object-meta.ts';
import { condition, count } from './cells.ts';
import { ageOf } from './human-duration.ts';

/** The state of a Pod as a table shows it. */
export interface PodSummary {
  readonly ready: number;
  readonly containers: number;
  readonly reason: string;
  readonly restarts: string;
}

/** Summarizes the states of a Pod's containers as `kubectl get pods` shows them. */
export function podSummary(pod: JsonObject, now: number): PodSummary {
  const sidecars = objectsAt(pod, 'spec', 'initContainers').filter(isSidecar);
  const initializing = initialization(pod);
  const main = initializing.reason === '' || textAt(condition(pod, 'Initialized'), 'status') === 'True';
  const statuses = objectsAt(pod, 'status', 'containerStatuses');
  const restarted = main ? [...initializing.sidecars, ...statuses] : objectsAt(pod, 'status', 'initContainerStatuses');
  const begun = initializing.reason === '' ? phaseReason(pod) : initializing.reason;
  return {
    ready: initializing.ready + (main ? statuses.filter(isRunning).length : 0),
    containers: objectsAt(pod, 'spec', 'containers').length + sidecars.length,
    reason: endReason(pod, main ? mainReason(pod, statuses, begun) : begun),
    restarts: restartsText(restarted, now),
  };
}

function isSidecar(container: JsonObject): boolean {
  return textAt(container, 'restartPolicy') === 'Always';
}

function isRunning(status: JsonObject): boolean {
  return at(status, 'ready') === true && at(status, 'state', 'running') !== undefined;
}

function phaseReason(pod: JsonObject): string {
  if (textAt(condition(pod, 'PodScheduled'), 'reason') === 'SchedulingGated') return 'SchedulingGated';
  return textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
}

interface Initialization {
  /** Empty when all init containers have ended successfully, or have started if they are sidecars. */
  readonly reason: string;
  readonly ready: number;
  readonly sidecars: readonly JsonObject[];
}

function initialization(pod: JsonObject): Initialization {
  const specs = objectsAt(pod, 'spec', 'initContainers');
  const names = new Set(specs.filter(isSidecar).map((container) => textAt(container, 'name')));
  const statuses = objectsAt(pod, 'status', 'initContainerStatuses');
  const isStarted = (status: JsonObject): boolean =>
    names.has(textAt(status, 'name')) && at(status, 'started') === true;
  const isDone = (status: JsonObject): boolean =>
    numberAt(status, 'state', 'terminated', 'exitCode') === 0 || isStarted(status);
  const index = statuses.findIndex((status) => !isDone(status));
  const passed = index < 0 ? statuses : statuses.slice(0, index);
  const pending = statuses[index];
  return {
    reason: pending === undefined ? '' : `Init:${initReason(pending, index, specs.length)}`,
    ready: passed.filter((status) => isStarted(status) && at(status, 'ready') === true).length,
    sidecars: statuses.filter((status) => names.has(textAt(status, 'name'))),
  };
}

function initReason(status: JsonObject, index: number, total: number): string {
  if (at(status, 'state', 'terminated') !== undefined) return terminatedReason(status);
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? `${index}/${total}` : waiting;
}

function terminatedReason(status: JsonObject): string {
  const terminated = objectAt(status, 'state', 'terminated');
  const signal = count(terminated, 'signal');
  const code = signal === 0 ? `ExitCode:${count(terminated, 'exitCode')}` : `Signal:${signal}`;
  return textAt(terminated, 'reason') || code;
}

/**
 * The reason of the first container that has one, or else `begun`; `Completed` is replaced if a container runs or has
 * failed.
 */
function mainReason(pod: JsonObject, statuses: readonly JsonObject[], begun: string): string {
  const reason = statuses.map(containerReason).find((found) => found !== '') ?? begun;
  if (reason !== 'Completed') return reason;
  const hasRunning = statuses.some(isRunning);
  if (hasRunning && textAt(condition(pod, 'Ready'), 'status') === 'True') return 'Running';
  const failed = statuses.find((status) => count(status, 'state', 'terminated', 'exitCode') !== 0);
  if (failed !== undefined) return terminatedReason(failed);
  return hasRunning ? 'NotReady' : reason;
}

function containerReason(status: JsonObject): string {
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  if (waiting !== '') return waiting;
  return at(status, 'state', 'terminated') === undefined ? '' : terminatedReason(status);
}

const ENDED = ['Succeeded', 'Failed'];

function endReason(pod: JsonObject, reason: string): string {
  if (!isTerminating(pod)) return reason;
  if (textAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return ENDED.includes(textAt(pod, 'status', 'phase')) ? reason : 'Terminating';
}

function restartsText(statuses: readonly JsonObject[], now: number): string {
  const restarts = statuses.reduce((sum, status) => sum + count(status, 'restartCount'), 0);
  const last = statuses
    .map((status) => textAt(status, 'lastState', 'terminated', 'finishedAt'))
    .toSorted()
    .at(-1);
  return restarts === 0 || last === undefined || last === ''
    ? String(restarts)
    : `${restarts} (${ageOf(last, now)} ago)`;
}
