import type { Member, Observed, Wanted } from './observed.ts';
import { wait, type Step } from './step.ts';

/** The step for members that do not answer: a single one is replaced after `spec.repair.after`, if all else is well. */
export function repairStep(observed: Observed, wanted: Wanted, members: readonly Member[]): Step | undefined {
  const failing = members.filter(({ isHealthy }) => !isHealthy);
  const [member] = failing;
  if (member === undefined) return undefined;
  const { noSpace } = observed.alarms;
  const names = failing.map(({ name }) => name).join(', ');
  if (failing.length > 1) {
    return wait('MembersFailing', `${names} do not answer; only one at a time is replaced: see their Pods and nodes`);
  }
  if (noSpace.length > 0) {
    return wait('MemberFailing', `${names} does not answer, and is not replaced while the alarm NOSPACE is raised`);
  }
  const changed = changedStep(observed, member);
  if (changed !== undefined) return changed;
  const limit = `${wanted.repairAfterMs / 1000}s`;
  if (!(failingMs(observed, member) >= wanted.repairAfterMs)) {
    return wait('MemberFailing', `${names} does not answer; after ${limit} (spec.repair.after) it is replaced`);
  }
  if (!observed.silent.includes(member.name)) {
    return wait(
      'NotFollowing',
      `${names} answers, but is not with the others, so its disk is not what is wrong and it is not replaced: look at NetworkPolicies, routes and certificates between the Pods, and at its log`,
    );
  }
  const voters = members.filter(({ isLearner }) => !isLearner).length;
  if (voters < 3 && !member.isLearner) {
    return wait(
      'TooFewMembers',
      `${names} does not answer, and of ${voters} members none can be replaced: bring it back`,
    );
  }
  return { do: 'replace', member: member.name, id: member.id, why: `it has not answered for ${limit}` };
}

/** For how long it has not answered; NaN where no run has seen that yet. */
function failingMs({ before, nowMs }: Observed, member: Member): number {
  return nowMs - Date.parse(before.find(({ name }) => name === member.name)?.failingSince ?? '');
}

/** Waits for a voter that was well, but not since its StatefulSet was given what is in it now. */
function changedStep({ before, parts }: Observed, { id, name, isLearner }: Member): Step | undefined {
  const wellIn = before.find((one) => one.id === id)?.form;
  const form = parts.find((one) => one.name === name)?.set?.form;
  if (isLearner || wellIn === undefined || form === undefined || form === wellIn) return undefined;
  return wait(
    'FormFailing',
    `${name} has not been well since its StatefulSet was changed, so its disk is not what is wrong and it is not replaced: see Pod ${name}-0, and correct the spec (version, image, options, pod). If its disk is lost too: etcdctl member remove ${id}`,
  );
}
