import { handOver } from './hand-over.ts';
import type { Member, Observed, Wanted } from './observed.ts';
import { wait, type Step } from './step.ts';

/** One member at a time, the leader last, and only while all answer linearizable reads and all Pods are ready. */
export function roll({ parts }: Observed, { form }: Wanted, members: readonly Member[]): Step | undefined {
  // A member whose StatefulSet is missing gets it anyhow.
  const outdated = members.filter(({ name }) => ![form, undefined].includes(formOf(parts, name)));
  const moving = parts.filter(({ set }) => set !== undefined && !set.isSettled).map(({ name }) => name);
  if (moving.length > 0) return wait('PodsNotReady', `waiting for the Pods of ${moving.join(', ')} to be ready`);
  const followers = outdated.filter(({ isLeader }) => !isLeader);
  const [member = outdated[0]] = followers;
  if (member === undefined) return undefined;
  return handOver(members, member) ?? { do: 'roll', member: member.name };
}

function formOf(parts: Observed['parts'], member: string): string | undefined {
  return parts.find(({ name }) => name === member)?.set?.form;
}
