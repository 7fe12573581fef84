import type { ConditionToSet } from 'hooklet';

/** What is shown of a Pod; the jq program below makes it. */
export interface PodSeen {
  readonly name: string;
  readonly part: string;
  readonly isOver: boolean;
  readonly reason: string | null;
  readonly message: string | null;
}

/** From a Pod to what keeps it from running. */
export const POD_FILTER = `
  ([(.status.initContainerStatuses // [])[], (.status.containerStatuses // [])[]]) as $containers |
  ($containers | map(.state.waiting // empty | select(.reason | IN("ContainerCreating", "PodInitializing") | not)) | first) as $waiting |
  ($containers | map((.state.terminated, .lastState.terminated) // empty | select(.exitCode != 0) | .message // empty) | first) as $last |
  ([(.status.conditions // [])[] | select(.type == "PodScheduled" and .status == "False")] | first) as $unscheduled |
  {
    name: .metadata.name,
    part: .metadata.labels["sampledb.hooklet.dev/part"],
    isOver: (.status.phase == "Succeeded" or .status.phase == "Failed"),
    reason: ($waiting.reason // (if $unscheduled then "Unschedulable" else null end)),
    message: ($last // $waiting.message // $unscheduled.message)
  }`;

const ADVICE: Readonly<Record<string, (secret: string) => string>> = {
  ErrImagePull: () => 'Is there an image of this version? Set spec.version to one that there is',
  ImagePullBackOff: () => 'Is there an image of this version? Set spec.version to one that there is',
  CreateContainerConfigError: (secret) => `Make the Secret ${secret} with the keys adminPassword and password`,
  Unschedulable: () => 'Add nodes, or lower spec.resources',
};

/** Whether Pods of a SampleDB are kept from running, and what to do about it. */
export function health(pods: readonly PodSeen[], secretName: string): ConditionToSet {
  const ill = pods
    .filter(({ reason, isOver }) => reason !== null && !isOver)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const [first] = ill;
  if (first === undefined) {
    return { type: 'Healthy', status: 'True', reason: 'NothingWrong', message: 'no Pod is kept from running' };
  }
  const reason = first.reason ?? 'Unknown';
  const text = lastLine(first.message ?? '');
  // Each new volume is waited for a while.
  const status = /PersistentVolumeClaim/.test(text) ? 'Unknown' : 'False';
  return {
    type: 'Healthy',
    status,
    reason,
    message: `Pod ${first.name}: ${text}. ${adviceOn(first, text, secretName)}`,
  };
}

function adviceOn({ name, reason }: PodSeen, text: string, secretName: string): string {
  if (/no space left/i.test(text)) {
    return 'The volume is full: raise spec.storage.size, or spec.backup.size for a backup';
  }
  if (/PersistentVolumeClaim/.test(text)) return 'Is there a StorageClass that makes volumes?';
  return ADVICE[reason ?? '']?.(secretName) ?? `See kubectl logs ${name}`;
}

/** The line of a log that says most: the last one that is an error, else the last. */
export function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  return (lines.findLast((line) => /error|fatal|panic|failed|no space/i.test(line)) ?? lines.at(-1) ?? '').slice(
    0,
    400,
  );
}
