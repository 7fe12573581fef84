import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../src/lib/sleep.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import { eventually } from './eventually.ts';

const NEVER = new AbortController().signal;
/** Ten writes per second. */
const COMMIT_MS = 500;

/** Members that hold other bytes than the others, and a way to make them hold the same again. */
export interface Corruption {
  readonly key: string;
  readonly right: string;
  readonly wrong: string;
  readonly putRight: () => Promise<void>;
}

/**
 * Changes the bytes of one key in the database of one member, or the same way in several, while its process is
 * stopped. Nothing reports the change, and the member continues with the new bytes. By default its process is only
 * resumed, and is still the leader if it was; `restarted` kills the process instead, as when a node restarts.
 */
export async function corruptSilently(
  rig: EtcdRepairRig,
  pods: string | readonly string[],
  then: 'restarted' | 'running' = 'running',
): Promise<Corruption> {
  const names = typeof pods === 'string' ? [pods] : pods;
  const key = `corrupted/${crypto.randomUUID()}`;
  const right = crypto.randomUUID();
  const wrong = crypto.randomUUID();
  await eventually(async () => rig.etcd.put(key, right));
  for (const pod of names) {
    await eventually(async () => {
      // The newest data may be in memory only, and would be written again, so another write follows.
      await rig.etcd.put(`${key}/after`, '');
      await sleep(COMMIT_MS, NEVER);
      await overwrite(rig, pod, { from: right, to: wrong, end: then === 'restarted' ? 'SIGKILL' : 'SIGCONT' });
      await sleep(COMMIT_MS, NEVER);
      const held = await eventually(async () => rig.etcd.heldBy(pod, key));
      if (held !== wrong) throw new Error(`${pod} holds ${held} for ${key}, expected the wrong ${wrong}`);
    });
  }
  const putRight = async (): Promise<void> => {
    for (const pod of names) await overwrite(rig, pod, { from: wrong, to: right, end: 'SIGCONT' });
  };
  return { key, right, wrong, putRight };
}

interface Change {
  readonly from: string;
  readonly to: string;
  /** The signal that the stopped process gets. */
  readonly end: 'SIGKILL' | 'SIGCONT';
}

/** Changes the bytes everywhere in the file, also in free pages, as it is not known which pages are used. */
async function overwrite(rig: EtcdRepairRig, pod: string, { from, to, end }: Change): Promise<void> {
  const path = join(rig.kubelet.volumeOf(rig.namespace, `data-${pod}`), 'data', 'member', 'snap', 'db');
  // A process that does not run does not use the file either.
  const signal = async (name: NodeJS.Signals): Promise<void> =>
    rig.kubelet.kill(rig.podName(pod), { signal: name }).catch(() => {});
  await signal('SIGSTOP');
  try {
    const file = await open(path, 'r+');
    try {
      const content = await file.readFile();
      for (let at = content.indexOf(from); at !== -1; at = content.indexOf(from, at + 1)) {
        await file.write(Buffer.from(to), 0, to.length, at);
      }
    } finally {
      await file.close();
    }
  } finally {
    await signal(end);
  }
}
