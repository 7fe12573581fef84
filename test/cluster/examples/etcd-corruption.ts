import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../src/lib/sleep.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import { eventually } from './eventually.ts';

const NEVER = new AbortController().signal;
/** A database is written ten times a second. */
const COMMIT_MS = 500;

/** Where members hold other bytes than the others, and how to have them hold the same again. */
export interface Corruption {
  readonly key: string;
  readonly right: string;
  readonly wrong: string;
  readonly putRight: () => Promise<void>;
}

/**
 * Changes the bytes of one key in the database of a member, or alike in that of several, while it stands still: nobody
 * is told, and the member goes on with them. By default its process goes on as well, and leads if it did; `restarted`
 * has it killed then, as when a node restarts.
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
      // What is newest may be in memory yet, and would be written again.
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
  /** What the process gets that stood still meanwhile. */
  readonly end: 'SIGKILL' | 'SIGCONT';
}

/** Everywhere in the file, also in pages that are free: which of them counts, the member knows. */
async function overwrite(rig: EtcdRepairRig, pod: string, { from, to, end }: Change): Promise<void> {
  const path = join(rig.kubelet.volumeOf(rig.namespace, `data-${pod}`), 'data', 'member', 'snap', 'db');
  // One that does not run now does not use it either.
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
