import { createContext, Script } from 'node:vm';

const context = createContext({ work: () => {} });
const script = new Script('work()');

/**
 * Runs synchronous `work`; throws if it takes longer than `limitMs`. It also interrupts code that a check of the clock
 * cannot, such as a regular expression that backtracks for long.
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
  // Not recognized by its class, as the error may come from the other context.
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
