import { createContext, Script } from 'node:vm';

const context = createContext({ work: () => {} });
const script = new Script('work()');

/**
 * Does `work`, and throws where it takes longer than `limitMs`. Unlike a look at the clock it also ends what never gives
 * its turn back, such as a regular expression that tries all ways to match.
 */
export function withTimeLimit<T>(what: string, limitMs: number, work: () => T): T {
  let result: { readonly value: T } | undefined;
  context['work'] = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout: limitMs });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  } finally {
    context['work'] = () => {};
  }
  if (result === undefined) throw new Error(`${what} took longer than ${limitMs / 1000} s`);
  return result.value;
}

function isTimeout(error: unknown): boolean {
  // Not by its class: it may come from the other context.
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
