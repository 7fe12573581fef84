import { readSmallFile } from '../../kube/credentials/read-file.ts';
import { Changes } from '../../lib/changes.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Given, GivenSource } from './given.ts';
import { MAX_PEM_LENGTH } from './pem.ts';
import { WatchedFolders } from './watched-folders.ts';

/** The files of a certificate. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** Where there is no such file, the `caBundle` of registered objects is left alone. */
  readonly ca: string;
}

const POLL_MS = 10_000;

/**
 * Reads a certificate of files, again after each event in their folders, and every 10 s: the files of a mounted Secret are
 * links into a folder that is replaced, and not every file system tells of changes.
 */
export function certificateFiles(files: CertificateFiles, pollMs = POLL_MS): GivenSource {
  const changes = new Changes();
  const folders = new WatchedFolders(changes.notify);
  return {
    place: files.cert,
    pollMs,
    changes: (signal) => changes.follow(signal),
    end: () => folders.end(),
    read: async () => {
      // Before the files are read, so that no later change is lost.
      folders.watch([files.cert, files.key, files.ca]);
      return readFiles(files);
    },
  };
}

async function readFiles({ cert, key, ca }: CertificateFiles): Promise<Given> {
  try {
    const [certText, keyText, caText] = await Promise.all([readText(cert), readText(key), readOptional(ca)]);
    return { type: 'given', cert: certText, key: keyText, ca: caText };
  } catch (error) {
    return { type: 'unreadable', problem: messageOf(error) };
  }
}

async function readText(path: string): Promise<string> {
  return (await readSmallFile(path, MAX_PEM_LENGTH)).toString('utf8');
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
