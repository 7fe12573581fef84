/*
 * The certificates of which one must have signed that of a caller. They are read from files, again after each event in
 * their folders and every 10 s. What must hold: a file that is empty, half written or gone changes nothing, for it would
 * shut out every caller.
 */

import { X509Certificate } from 'node:crypto';
import { readSmallFile } from '../../kube/credentials/read-file.ts';
import { Changes } from '../../lib/changes.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Logger } from '../../log.ts';
import { keepLooking } from './looking.ts';
import { WatchedFolders } from './watched-folders.ts';

const MAX_BYTES = 1024 * 1024;
const POLL_MS = 10_000;

/** The authorities of callers; see above. Without files every caller is accepted. */
export class ClientAuthorities {
  readonly #files: readonly string[];
  readonly #log: Logger;
  #texts: readonly string[] = [];
  #problem = '';

  constructor(files: readonly string[], log: Logger) {
    this.#files = files;
    this.#log = log;
  }

  /** As PEM, as they were read last. */
  readonly texts = (): readonly string[] => this.#texts;

  /** Reads the files; rejects when one has no certificate, and then keeps what was read before. */
  async read(): Promise<void> {
    this.#texts = await Promise.all(this.#files.map(readAuthorities));
  }

  /** Calls `onChange` whenever other ones were read, until `signal` aborts. */
  async follow(onChange: () => void, signal: AbortSignal): Promise<void> {
    if (this.#files.length === 0) return;
    const changes = new Changes();
    const folders = new WatchedFolders(changes.notify);
    const look = async (): Promise<number> => {
      folders.watch(this.#files);
      if (await this.#hasChanged()) onChange();
      return POLL_MS;
    };
    try {
      await keepLooking({ look, changes: [(end) => changes.follow(end)] }, signal);
    } finally {
      folders.end();
    }
  }

  async #hasChanged(): Promise<boolean> {
    const before = this.#texts.join();
    try {
      await this.read();
      this.#problem = '';
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== this.#problem) this.#log.error({ err: error }, 'the certificates of callers were not read again');
      this.#problem = problem;
    }
    return this.#texts.join() !== before;
  }
}

async function readAuthorities(path: string): Promise<string> {
  const text = (await readSmallFile(path, MAX_BYTES)).toString('utf8');
  try {
    new X509Certificate(text);
  } catch (error) {
    throw new Error(`${path} has no certificate`, { cause: error });
  }
  return text;
}
