import { handOver } from './hand-over.ts';
import type { Member, Observed, Wanted } from './observed.ts';
import { wait, type Step } from './step.ts';

/**
 * The step for the alarm CORRUPT. One accused member is replaced as soon as all others are known to hold the same data
 * and it holds other data; when it is gone, its alarm is lifted. All other cases are left to a person.
 */
export function corruptStep({ alarms }: Observed, _: Wanted, members: readonly Member[]): Step | undefined {
  const [id, ...more] = alarms.corrupt;
  if (id === undefined) return undefined;
  const accused = members.find((one) => one.id === id);
  if (more.length > 0) return wait('Corrupt', `${corruptText(alarms.corrupt, members)}: ${BY_HAND}`);
  if (accused === undefined) return { do: 'lift', member: id, id };
  const others = members.filter((one) => one !== accused);
  const failing = others.filter(({ isHealthy, isLearner }) => !isHealthy && !isLearner).map(({ name }) => name);
  if (failing.length > 0) {
    const what = `${corruptText([id], members)}, and ${failing.join(', ')} do not answer: bring them back`;
    return wait('Corrupt', what);
  }
  if (others.filter(({ isLearner }) => !isLearner).length < 2) {
    return wait('Corrupt', `${corruptText([id], members)}, and of so few members none can be replaced: ${BY_HAND}`);
  }
  const why = 'the alarm CORRUPT is about it, and all others hold the same data';
  return handOver(members, accused) ?? { do: 'replace', member: accused.name, id, why };
}

const BY_HAND =
  'compare their data (etcdctl endpoint hashkv), remove the wrong member with etcdctl member remove, and disarm the alarm';

function corruptText(ids: readonly string[], members: readonly Member[]): string {
  const names = ids.map((id) => members.find((one) => one.id === id)?.name ?? id).join(', ');
  return `the alarm CORRUPT is raised for ${names}`;
}
