import { certificateEnd } from './certificate-end.ts';
import { majority, voterCount, wellCount } from './quorum.ts';
import { guardRevision } from './revision.ts';
import { PAUSE_ANNOTATION } from './settings.ts';
import type { Repair, Turn } from './turn.ts';

const CANNOT_START = /^(?:ErrImagePull|ImagePullBackOff|InvalidImageName|CreateContainer.*Error)$/;
const EXPIRED = /certificate has expired|expired certificate/;

// A guard that returns false has reported the reason, unless it is too early to decide.

export function guardPaused({ facts, outcome }: Turn): boolean {
  if (!facts.objects.statefulset.paused) return true;
  return outcome.refuse(
    'Paused',
    `The annotation ${PAUSE_ANNOTATION} is set. Remove it to have members repaired again.`,
  );
}

export function guardEnoughMembers({ settings, facts, outcome }: Turn): boolean {
  const { replicas } = facts.objects.statefulset;
  if (replicas >= settings.minMembers) return true;
  return outcome.refuse(
    'TooFewMembers',
    `The StatefulSet has ${replicas} replica(s), and members are replaced only where there are at least ${settings.minMembers}: without the failed one there would be no quorum. Grow the cluster to three, or restore a failed member from a snapshot.`,
  );
}

/** Refuses without a quorum, also when no member is left to list the members. */
export function guardQuorum({ facts, outcome }: Turn): boolean {
  const { replicas } = facts.objects.statefulset;
  const well = wellCount(facts);
  // An alarm is about data: its member still has its vote.
  const voting = facts.pods.filter(({ answers, member }) => answers && member?.isLearner === false).length;
  if (facts.members !== undefined && voting >= majority(voterCount(facts))) return true;
  if (facts.failed.length <= replicas - majority(replicas)) {
    return outcome.waitForNews('no quorum at the moment', { well, replicas });
  }
  return outcome.refuse(
    'QuorumLost',
    `${well} of ${replicas} members are well, which is no quorum. Nothing is removed or wiped.${readyAllTheSame({ facts })} Bring members back, else restore all from a snapshot with --bump-revision 1000000000 --mark-compacted, as the README says. ${errors({ facts })}`,
  );
}

/** One at a time; of several one may go where the others are a quorum without all of them, before and after. */
export function guardOneUnhealthy({ facts, outcome }: Turn): boolean {
  const unhealthy = Object.keys(facts.unhealthySince);
  if (unhealthy.length === 1) return true;
  const isFailed = unhealthy.every((pod) => facts.failed.includes(pod));
  if (isFailed && wellCount(facts) >= majority(voterCount(facts))) return true;
  if (!isFailed) {
    return outcome.waitForNews('waiting, several are unhealthy at the same time', { unhealthy });
  }
  return outcome.refuse(
    'SeveralMembersDown',
    `${unhealthy.join(' ')} are down at once; one at a time is replaced. Find out what they have in common, and bring one back. ${errors({ facts })}`,
  );
}

/**
 * The reason of an earlier refusal is over, such as a lack of memory, so the member may be about to come back: the time
 * for which it was unhealthy is counted from now again. The reasons in `lasting` are checked by later guards.
 */
export function guardSettled({ facts, outcome }: Turn, lasting: readonly string[] = []): boolean {
  if (['', 'SnapshotFailed', 'CorruptAlarm', 'HashesUnknown', ...lasting].includes(facts.state.told)) return true;
  outcome.restartClock();
  return false;
}

export function guardSpace({ facts, outcome }: Turn): boolean {
  const { noSpace } = facts.alarms;
  if (noSpace.length === 0) return true;
  return outcome.refuse(
    'NoSpace',
    `The members ${noSpace.join(' ')} have no space left, which a new member would not change. Compact, defragment every member (the leader last), then etcdctl alarm disarm; raise --quota-backend-bytes if it comes back.`,
  );
}

export function guardMembership({ facts, outcome }: Turn): boolean {
  const members = facts.members ?? [];
  const said = disagreements({ facts });
  if (said === '') return true;
  return outcome.refuse(
    'MembershipMismatch',
    `etcd has ${members.length} member(s), the StatefulSet ${facts.objects.statefulset.replicas} replica(s).${said} Somebody is changing the membership, or has not finished: nothing is replaced before both agree.`,
  );
}

/** The same checks during a repair, for all members but the one that is being replaced. */
export function guardOthers({ facts, outcome, target }: Repair): boolean {
  const said = disagreements({ facts }, [target.pod, ...facts.state.next.map(({ pod }) => pod)]);
  if (said === '') return true;
  return outcome.refuse(
    'MembershipMismatch',
    `While ${target.pod} was being replaced somebody changed other members.${said} The repair goes on when all but ${target.pod} are members again.`,
  );
}

export function guardTargetWanted({ facts, outcome, target, record }: Repair): boolean {
  const { replicas } = facts.objects.statefulset;
  if (facts.pods.some(({ pod }) => pod === target.pod)) return true;
  outcome.abandon(
    'Abandoned',
    `The StatefulSet was scaled down to ${replicas} while ${target.pod} was being replaced. If it is still a member, remove it: etcdctl member remove ${record.memberID}`,
  );
  return false;
}

/** Problems that a new member would have, too. */
export async function guardTarget(turn: Turn): Promise<boolean> {
  const { facts, outcome } = turn;
  const { target, targetPod: pod } = facts;
  if (target === undefined) return false;
  const waitsFor = pod?.waitsFor ?? '';
  const mends = 'Nothing is replaced: a new member would fare no better.';
  if (!guardRevision(turn)) return false;
  if (pod?.outOfMemory === true) {
    const why = `${target.pod} was killed because it was out of memory. ${mends} Raise its memory limit.`;
    return outcome.refuse('OutOfMemory', why);
  }
  if (CANNOT_START.test(waitsFor)) {
    const why = `${target.pod} waits with ${waitsFor}. ${mends} See kubectl describe pod ${target.pod}.`;
    return outcome.refuse('PodCannotStart', why);
  }
  return (await guardCertificateOf(turn, target.pod)) && guardQuorumWithout(turn, target.pod);
}

function guardQuorumWithout({ facts, outcome }: Turn, pod: string): boolean {
  const [well, rest] = [wellCount(facts), voterCount(facts) - 1];
  if (well >= majority(rest)) return true;
  return outcome.refuse(
    'QuorumLost',
    `Without ${pod} only ${well} of ${rest} members would be well, which is no quorum.`,
  );
}

export function guardCertificates(turn: Turn): boolean {
  const said = errors(turn);
  if (!EXPIRED.test(said)) return true;
  return turn.outcome.refuse(
    'CertificateExpired',
    `A certificate has expired: ${said}. Renew it; new members would not be reached either.`,
  );
}

/** As the member itself shows it, to clients and to other members. */
async function guardCertificateOf({ facts, outcome, settings }: Turn, pod: string): Promise<boolean> {
  const { target } = facts;
  const urls = target === undefined ? [] : [target.endpoint, target.peerUrl].filter((url) => url.startsWith('https:'));
  const ends = await Promise.all(urls.map(async (url) => certificateEnd(new URL(url), settings.timeoutMs)));
  if (!ends.some((end) => end !== undefined && Date.parse(end) <= facts.nowMs)) return true;
  return outcome.refuse(
    'CertificateExpired',
    `The certificate of ${pod} has expired. Nothing is replaced: a new member would fare no better. Renew it, and restart the Pod if it is not read again.`,
  );
}

function disagreements({ facts }: Pick<Turn, 'facts'>, except: readonly string[] = []): string {
  const expected = facts.pods.filter(({ pod }) => !except.includes(pod));
  const spared = facts.pods.filter(({ pod }) => except.includes(pod)).map(({ peerUrl }) => peerUrl);
  const members = (facts.members ?? []).filter(({ peerUrls }) => !peerUrls.some((url) => spared.includes(url)));
  const isForeign = (peerUrls: readonly string[]): boolean =>
    !expected.some(({ peerUrl }) => peerUrls.includes(peerUrl));
  const parts = {
    'Not of the StatefulSet': members
      .filter(({ peerUrls }) => isForeign(peerUrls))
      .map(({ name, id }) => `${name}(${id})`),
    'Not a member': expected.filter(({ member }) => member === undefined).map(({ pod }) => pod),
    Learners: members.filter(({ isLearner }) => isLearner).map(({ peerUrls }) => peerUrls[0]),
    'Added, but not started': members.filter(({ name }) => name === '').map(({ peerUrls }) => peerUrls[0]),
  };
  return Object.entries(parts)
    .filter(([, who]) => who.length > 0)
    .map(([what, who]) => ` ${what}: ${who.join(' ')}.`)
    .join('');
}

/** Then it is the hook that is cut off. */
function readyAllTheSame({ facts }: Pick<Turn, 'facts'>): string {
  const ready = facts.objects.pods.filter(
    ({ name, ready: isReady }) => isReady && facts.pods.some(({ pod, status }) => pod === name && status === undefined),
  );
  if (ready.length === 0) return '';
  const names = ready.map(({ name }) => name).join(' ');
  return ` But the Pods ${names} are Ready: look first for what keeps the hook from them, such as a NetworkPolicy or DNS.`;
}

function errors({ facts }: Pick<Turn, 'facts'>): string {
  return facts.pods
    .filter(({ isWell }) => !isWell)
    .map(
      ({ pod, error }) => `${pod}: ${error === '' ? 'it answers, but not as a member with quorum behind it' : error}`,
    )
    .join('; ');
}
