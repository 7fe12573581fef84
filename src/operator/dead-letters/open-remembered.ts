import { ownNamespace } from '../../kube/coordination/own-pod.ts';
import { aborted } from '../../lib/aborted.ts';
import type { Logger } from '../../log.ts';
import { ConfigMapStore } from '../../state/config-map-store.ts';
import { FileStore } from '../../state/file-store.ts';
import { Kept } from '../../state/kept.ts';
import { MemoryRecords } from '../../state/records.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { DEFAULT_PLACE, type DeadLetterPlace } from './dead-letter-place.ts';
import { rememberedCodec } from './remembered-json.ts';
import { REMEMBERED_WORDS, type Remembered, type RememberOptions } from './remembered.ts';

export interface OpenRememberedOptions {
  /** Default `DEFAULT_PLACE`. */
  readonly deadLetters?: DeadLetterPlace | undefined;
  readonly access: Pick<ClusterAccess, 'client' | 'cluster'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
}

const OPTION = '--dead-letters';

/** Opens the records of dead letters and pauses; nothing is read or written yet. */
export function openRemembered(options: OpenRememberedOptions): RememberOptions['kept'] {
  const { deadLetters: place = DEFAULT_PLACE, access, env, log } = options;
  const kept = { codec: rememberedCodec(log), words: REMEMBERED_WORDS, log };
  switch (place.type) {
    case 'none':
      return inMemory();
    case 'file':
      return new Kept({
        ...kept,
        store: new FileStore({ path: place.path, what: REMEMBERED_WORDS.what, option: OPTION, log }),
      });
    case 'configMap': {
      const namespace = ownNamespace(env, access.cluster.namespace);
      return new Kept({
        ...kept,
        store: new ConfigMapStore(access.client, { namespace, name: place.name, option: OPTION }),
      });
    }
  }
}

function inMemory(): RememberOptions['kept'] {
  const memory = new MemoryRecords<Remembered>();
  return {
    isKept: false,
    ready: async () => memory.ready(),
    refresh: async () => memory.refresh(),
    get: (key) => memory.get(key),
    update: async (key, change) => memory.update(key, change),
    run: aborted,
  };
}
