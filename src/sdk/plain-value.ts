/** Returns a replacement for a value that JSON cannot represent; may throw instead. */
export type Misfit = (problem: string, path: string, value?: unknown) => unknown;

/** How many characters may still be copied; the rest is omitted. */
export interface Budget {
  chars: number;
}

const MAX_DEPTH = 500;
/** Approximate size of a number or a boolean in JSON. */
const SCALAR_CHARS = 8;

/**
 * Returns a copy of `value` that JSON can represent. Every property is read exactly once, so getters and proxies run
 * here and not again later. Values that do not fit, such as a BigInt, a cycle or a getter that throws, are replaced by
 * `misfit`.
 */
export function plainValue(value: unknown, misfit: Misfit, budget: Budget = { chars: Infinity }): unknown {
  return copy(value, '', { misfit, budget, above: [] });
}

/** The message of a thrown value; never throws, whatever the value is. */
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
  /** The objects that contain this one, to detect cycles. */
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
    // JSON writes a hole as null, too.
    copied.push(copyMember(value, String(index), { path: `${path}[${index}]`, copying }) ?? null);
  }
  return copied;
}

function copyFields(keys: readonly string[], path: string, { value, copying }: Members): unknown {
  // Without a prototype, `__proto__` is an ordinary key.
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

/** Runs code of the hook's author, such as a getter, a proxy or `toJSON`, and catches what it throws. */
function attempt<T>(work: () => T): { readonly value: T; readonly error?: undefined } | { readonly error: string } {
  try {
    return { value: work() };
  } catch (error) {
    return { error: thrownText(error) };
  }
}
