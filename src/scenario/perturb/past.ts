/* Revisions of the cluster, as the timeline has them. */

import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import type { Moment } from '../timeline.ts';
import { shownName } from './oracle.ts';

/** The resourceVersion of the cluster before the change that the n-th watch event tells; undefined where it is not known. */
export function revisionBefore(timeline: readonly Moment[], event: number): string | undefined {
  const at = timeline.findIndex((moment) => moment.type === 'delivered' && moment.event === event);
  const told = timeline[at];
  if (told?.type !== 'delivered') return undefined;
  const name = shownName(told.object);
  // Watches are told before the request that made the change is answered.
  const isCause = (moment: Moment): boolean =>
    moment.type === 'write' && moment.isChange && shownName(moment.object) === name;
  const after = timeline.slice(at).findIndex(isCause);
  const cause = after < 0 ? timeline.slice(0, at).findLastIndex(isCause) : at + after;
  const versions = timeline
    .slice(0, cause)
    .flatMap((moment) => (moment.type === 'write' ? versionsOf(moment.after) : []));
  return cause < 0 || versions.length === 0 ? undefined : String(Math.max(...versions));
}

function versionsOf(object: JsonObject | undefined): number[] {
  const metadata = object?.['metadata'];
  const version = isJsonObject(metadata) ? Number(metadata['resourceVersion']) : Number.NaN;
  return Number.isInteger(version) ? [version] : [];
}
