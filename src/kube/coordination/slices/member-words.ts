import { createHash } from 'node:crypto';
import { isLeaseName } from '../../../lib/lease-name.ts';
import type { SliceHash } from '../../../lib/slice-hash.ts';
import { shortHash } from '../../../lib/short-hash.ts';
import { asJsonObject, text } from '../../object.ts';
import type { Lease } from '../lease.ts';
import { ALL_SLICES } from './assignment.ts';

/** The label of the Leases of members; its value tells the members of one operator from those of another. */
export const SHARDS_LABEL = 'hooklet.dev/shards';

/** The annotation in which the Lease of a member says which slices it holds. */
export const SLICES_ANNOTATION = 'hooklet.dev/slices';

/** The duration of a Lease whose member has ended. Who only empties the holder by hand does not write it. */
export const ENDED_MS = 1000;

/** The annotation of such a Lease, for people who read it. */
export const ENDED_NOTE = '0000000000000000 ended';

const MAX_LABEL = 63;
const HASH_CHARS = 16;

/** What a member says of itself in its Lease. */
export interface MemberNote {
  readonly slices: ReadonlySet<number>;
  /** Whether it gives its slices away and takes none. */
  readonly isLeaving: boolean;
}

/** What the name must be that the Leases of all members begin with, in words. */
export const SHARDS_NAME_TEXT =
  'what the names of Leases begin with: at most 229 small letters, digits, "-" and ".", such as hooklet-shards';

/** Whether the API server takes the names of the Leases and of the ConfigMap that begin with this. */
export function isShardsName(name: string): boolean {
  return isLeaseName(name) && isLeaseName(memberLeaseName(name, ''));
}

/** The name of the Lease of a member. */
export function memberLeaseName(name: string, identity: string): string {
  return `${memberPrefix(name)}${createHash('sha256').update(identity).digest('hex').slice(0, HASH_CHARS)}`;
}

/** What the names of all Leases of members begin with. */
export function memberPrefix(name: string): string {
  return `${name}-member-`;
}

/** The value of the label, which may be shorter than the name of a Lease. */
export function shardsLabel(name: string): string {
  if (name.length <= MAX_LABEL) return name;
  const hash = shortHash(name);
  return `${name.slice(0, MAX_LABEL - hash.length - 1)}-${hash}`;
}

/** Such as `00000000000000ff mixed`, a bit for each slice and what these are by, and `leaving` after it. */
export function noteText(hash: SliceHash, { slices, isLeaving }: MemberNote): string {
  let bits = 0n;
  for (const slice of slices) bits |= 1n << BigInt(slice);
  return `${bits.toString(16).padStart(16, '0')} ${hash}${isLeaving ? ' leaving' : ''}`;
}

/**
 * What the Lease of a member says, to one whose slices are by `hash`. A member that says nothing readable counts as if it
 * held every slice, and so does one that holds any by another hash, which can be given none.
 */
export function noteOf(hash: SliceHash, { object }: Lease): MemberNote {
  const metadata = asJsonObject(object['metadata']);
  const said = text(asJsonObject(metadata['annotations'])[SLICES_ANNOTATION]);
  const [, digits, by, leaving] = /^([0-9a-f]{16}) (mixed|fnv1a)( leaving)?$/.exec(said) ?? [];
  if (digits === undefined) return { slices: new Set(ALL_SLICES), isLeaving: false };
  const bits = BigInt(`0x${digits}`);
  if (by !== hash) return { slices: new Set(bits === 0n ? [] : ALL_SLICES), isLeaving: true };
  const slices = new Set(ALL_SLICES.filter((slice) => ((bits >> BigInt(slice)) & 1n) === 1n));
  return { slices, isLeaving: leaving !== undefined };
}
