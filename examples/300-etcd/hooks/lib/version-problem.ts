/**
 * Why members of these versions cannot get another one: etcd goes up by a patch or one minor, and back only while not all
 * members have the new minor. Undefined where they can.
 */
export function versionProblem(versions: readonly string[], to: string): string | undefined {
  const [lowest] = versions.toSorted((a, b) => minorOf(a) - minorOf(b));
  if (lowest === undefined) return undefined;
  const [from, wanted] = [minorOf(lowest), minorOf(to)];
  if (wanted > from + 1) {
    return `spec.version is ${to}, but members have ${lowest}: etcd is upgraded one minor at a time, so ask for 3.${from + 1} first`;
  }
  if (wanted < from) {
    return `spec.version is ${to}, but all members have ${lowest}, and etcd does not go back a minor: ask for a version 3.${from}, or restore a backup into a new cluster`;
  }
  return undefined;
}

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}
