/** What to write in the place of something JSON has no form for; may throw. */
export type Misfit = (problem: string, path: string, value?: unknown) => unknown;

/** How much may be copied, in characters; what is beyond is left out. */
export interface Budget {
  chars: number;
}

const MAX_DEPTH = 500;
/** About what a number or a boolean takes. */
const SCALAR_CHARS = 8;

/**
 * A copy of `value` that JSON can hold, read once: getters and proxies are run here and not again later. What does not
 * fit, such as a BigInt, a cycle or a getter that throws, is what `misfit` makes of it.
 */
export function plainValue(value: unknown, misfit: Misfit, budget: Budget = { chars: Infinity }): unknown {
  return copy(value, '', { misfit, budget, above: [] });
}

/** What was thrown, as text; anything can be thrown, also what has no text. */
export function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'a value without a text';
  }
}

interface Copying {
  readonly misfit: Misfit;
  readonly budget: Budget;
  /** The objects around this one. */
  readonly above: readonly object[];
}

function copy(value: unknown, path: string, copying: Copying): unknown {
  const { misfit, budget } = copying;
  if (typeof value === 'string') return copyText(value, path, copying);
  if (typeof value === 'object' && value !== null) return copyObject(value, path, copying);
  budget.chars -= SCALAR_CHARS;
  const problem = scalarProblem(value);
  return problem === undefined ? value : misfit(problem, path, value);
}

function scalarProblem(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `is ${value}`;
  if (typeof value === 'bigint') return 'is a BigInt';
  return typeof value === 'function' || typeof value === 'symbol' ? `is a ${typeof value}` : undefined;
}

function copyText(text: string, path: string, { misfit, budget }: Copying): unknown {
  const isTooLong = text.length > budget.chars;
  budget.chars -= text.length;
  return isTooLong ? misfit('is too long', path, text) : text;
}

function copyObject(value: object, path: string, copying: Copying): unknown {
  const { misfit, above } = copying;
  if (above.includes(value)) return misfit('contains itself', path);
  if (above.length >= MAX_DEPTH) return misfit(`is nested deeper than ${MAX_DEPTH} levels`, path);
  const inner = { ...copying, above: [...above, value] };
  const found = attempt(() => formOf(value));
  if (found.error !== undefined) return misfit(`cannot be read: ${found.error}`, path);
  const { type } = found.value;
  switch (type) {
    case 'list':
      return copyList(found.value.length, path, { value, copying: inner });
    case 'fields':
      return copyFields(found.value.keys, path, { value, copying: inner });
    case 'own':
      return copy(found.value.json, path, inner);
    case 'Map':
    case 'Set':
      return misfit(`is a ${type}`, path);
    case 'Error':
      return misfit('is an Error', path, value);
  }
}

type Form =
  | { readonly type: 'list'; readonly length: number }
  | { readonly type: 'fields'; readonly keys: readonly string[] }
  | { readonly type: 'own'; readonly json: unknown }
  | { readonly type: 'Map' | 'Set' | 'Error' };

function formOf(value: object): Form {
  if (Array.isArray(value)) return { type: 'list', length: value.length };
  if (value instanceof Map) return { type: 'Map' };
  if (value instanceof Set) return { type: 'Set' };
  if (value instanceof Error) return { type: 'Error' };
  if ('toJSON' in value && typeof value.toJSON === 'function') return { type: 'own', json: value.toJSON() };
  return { type: 'fields', keys: Object.keys(value) };
}

interface Members {
  readonly value: object;
  readonly copying: Copying;
}

function copyList(length: number, path: string, { value, copying }: Members): unknown {
  const copied: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    if (copying.budget.chars <= 0) {
      copied.push(`… ${length - index} more`);
      break;
    }
    // A hole is null in JSON too.
    copied.push(copyMember(value, String(index), { path: `${path}[${index}]`, copying }) ?? null);
  }
  return copied;
}

function copyFields(keys: readonly string[], path: string, { value, copying }: Members): unknown {
  // Without a prototype, `__proto__` is a key as any other.
  const copied: Record<string, unknown> = Object.create(null);
  for (const [index, key] of keys.entries()) {
    if (copying.budget.chars <= 0) {
      copied['…'] = `${keys.length - index} more`;
      break;
    }
    copying.budget.chars -= key.length;
    copied[key] = copyMember(value, key, { path: path === '' ? key : `${path}.${key}`, copying });
  }
  return copied;
}

function copyMember(
  value: object,
  key: string,
  { path, copying }: { readonly path: string; readonly copying: Copying },
): unknown {
  const member = attempt<unknown>(() => Reflect.get(value, key));
  if (member.error !== undefined) return copying.misfit(`cannot be read: ${member.error}`, path);
  return copy(member.value, path, copying);
}

/** Runs what belongs to the author: a getter, a proxy, a `toJSON`. */
function attempt<T>(work: () => T): { readonly value: T; readonly error?: undefined } | { readonly error: string } {
  try {
    return { value: work() };
  } catch (error) {
    return { error: thrownText(error) };
  }
}
