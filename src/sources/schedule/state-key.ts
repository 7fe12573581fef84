import { shortHash } from '../../hook/run-id.ts';

const MAX_NAME = 100;

/** The key of a binding's state: readable, allowed in a ConfigMap, and that of no other binding. */
export function stateKey(hook: string, binding: string): string {
  const name = `${hook}.${binding}`.replaceAll(/[^\w.-]+/g, '-').slice(0, MAX_NAME);
  return `${name}-${shortHash(hook, binding)}`;
}
