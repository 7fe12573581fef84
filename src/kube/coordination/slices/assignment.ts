import { parseMembers, type Members } from '../../../lib/members.ts';
import type { SliceHash } from '../../../lib/slice-hash.ts';
import { shown } from '../../../lib/shown.ts';

/** How many slices there are. */
export const SLICE_COUNT = 64;

/** The numbers of all slices. */
export const ALL_SLICES: readonly number[] = Array.from({ length: SLICE_COUNT }, (_, slice) => slice);

/** Its holder leads, and keeps it for as long as it lives, whatever is written: what is not divided cannot move. */
export const LEADING_SLICE = 0;

/** Who has a slice, and who is to have it next; each is the identity of a member, or empty for nobody. */
export interface SliceEntry {
  readonly holder: string;
  readonly wanted: string;
}

/** Which member has which slice. */
export interface Assignment {
  /** How many moves have begun so far, so that members see when the last one did. */
  readonly moves: number;
  /** `SLICE_COUNT` entries. */
  readonly slices: readonly SliceEntry[];
}

/** What the text of an assignment says. */
export type AssignmentText =
  | { readonly type: 'read'; readonly assignment: Assignment }
  /** A later version of hooklet wrote it: it must stay as it is. */
  | { readonly type: 'newer'; readonly problem: string }
  /** It is of slices by another hash, so it must stay as it is while anybody may work on them. */
  | { readonly type: 'other-hash'; readonly assignment: Assignment; readonly problem: string }
  /** Nothing can be known from it. */
  | { readonly type: 'broken'; readonly problem: string };

const VERSION = 1;
const MAX_TEXT = 128 * 1024;
const MAX_IDENTITY = 320;

/** An assignment in which nobody has anything. */
export const NO_ASSIGNMENT: Assignment = { moves: 0, slices: ALL_SLICES.map(() => ({ holder: '', wanted: '' })) };

/** Writes an assignment of slices by `hash` as JSON, one slice a line, for people who read it. */
export function assignmentText(hash: SliceHash, { moves, slices }: Assignment): string {
  const lines = slices.map(({ holder, wanted }) =>
    JSON.stringify({ ...(holder !== '' && { holder }), ...(wanted !== '' && { wanted }) }),
  );
  return `{"version":${VERSION},"hash":"${hash}","moves":${moves},"slices":[\n${lines.join(',\n')}\n]}\n`;
}

/** What an assignment is read for. */
export interface AssignmentPlace {
  /** What the slices of the reader are by. */
  readonly hash: SliceHash;
  /** Names it in a problem. */
  readonly where: string;
}

/** Reads the text of an assignment, which anybody may have edited. */
export function readAssignment(text: string, { hash, where }: AssignmentPlace): AssignmentText {
  if (text.length > MAX_TEXT) {
    return broken(`${where}: got ${text.length} characters, expected at most ${MAX_TEXT}`);
  }
  const version = parseMembers(text, where, (members) => members.whole('version', 1));
  if (version.type === 'wrong') return broken(version.problem);
  if (version.value > VERSION) {
    const problem = `${where}: version: got ${version.value}, expected ${VERSION}; a later hooklet wrote it, and this one moves no slices: end the replicas of one of the two, and delete it if the later ones are gone`;
    return { type: 'newer', problem };
  }
  const parsed = parseMembers(text, where, assignmentOf);
  if (parsed.type === 'wrong') return broken(parsed.problem);
  const { hash: found, ...assignment } = parsed.value;
  const problem = entriesProblem(assignment.slices);
  if (problem !== undefined) return broken(`${where}: slices${problem}`);
  if (found === hash) return { type: 'read', assignment };
  return { type: 'other-hash', assignment, problem: `${where}: hash: got ${found}, expected ${hash}; ${UNEQUAL}` };
}

const UNEQUAL =
  'replicas divide objects in another way, and this one takes none until all of those have ended: give all replicas --shards-server-side, or none';

function assignmentOf(members: Members): Assignment & { readonly hash: SliceHash } {
  const slices = members.each('slices', (entry) => ({
    holder: entry.maybe('holder', (key) => entry.text(key)) ?? '',
    wanted: entry.maybe('wanted', (key) => entry.text(key)) ?? '',
  }));
  return { hash: members.word('hash', ['mixed', 'fnv1a']), moves: members.whole('moves'), slices };
}

function entriesProblem(slices: readonly SliceEntry[]): string | undefined {
  if (slices.length !== SLICE_COUNT) return `: got ${slices.length} entries, expected ${SLICE_COUNT}`;
  for (const [index, { holder, wanted }] of slices.entries()) {
    const long = [holder, wanted].find((identity) => identity.length > MAX_IDENTITY);
    if (long !== undefined) {
      return `[${index}]: got ${shown(long)}, expected the identity of a member, at most ${MAX_IDENTITY} characters`;
    }
  }
  return undefined;
}

function broken(problem: string): AssignmentText {
  return { type: 'broken', problem: `${problem}; it is written anew from what the members hold` };
}
