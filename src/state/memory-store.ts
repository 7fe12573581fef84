import type { Store } from './store.ts';

/** A store that is forgotten with the process, for one that must leave nothing behind. */
export function memoryStore(): Store {
  const texts = new Map<string, string>();
  return {
    place: 'memory',
    read: async () => ({ type: 'read', texts: new Map(texts) }),
    write: async (changes) => {
      for (const [key, text] of changes) texts.set(key, text);
      return { type: 'written' };
    },
  };
}
