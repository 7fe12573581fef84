/** One variable of the environment: how its text is read, and what is expected of it. */
export interface Variable<T> {
  /** What is expected, in words: `a whole number from 1 to 9999`. */
  readonly expected: string;
  /** What the author says about it; absent: nothing. */
  readonly about?: string;
  /** The text that counts when it is not set; absent: there is no default. */
  readonly byDefault?: string;
  readonly isOptional: boolean;
  /** Its value is shown nowhere. */
  readonly isSecret: boolean;
  /** What the text means, or `problem`, which may add to what is expected; never called with an empty text. */
  readonly read: (text: string) => Reading<T>;
}

export type Reading<T> = { readonly value: T } | { readonly problem: string };

/** What each kind of variable can be given. */
export interface VariableOptions<T> {
  /** The value when it is not set, or empty. */
  readonly default?: T;
  /** It may be left out; its value is `undefined` then. */
  readonly optional?: boolean;
  /** A sentence about what it is for, for errors and the README. */
  readonly expected?: string;
}

/** The type of a variable's value: `undefined` too where it is optional. */
export type ValueOf<T, O> = O extends { readonly optional: true } ? T | undefined : T;

/** A variable as its kind makes it; a default is a text here. */
export interface VariableParts<T> {
  readonly expected: string;
  readonly isSecret?: boolean;
  readonly read: (text: string) => Reading<T>;
  readonly default: string | undefined;
  /** Whether the default is checked only where it counts; default false. */
  readonly isLate?: boolean;
}

/** Makes a variable; throws for a default that the variable itself refuses, which is a mistake of the author. */
export function variable<T>(
  { optional = false, expected: about }: Omit<VariableOptions<T>, 'default'>,
  parts: VariableParts<T>,
): Variable<T> {
  const { expected, isSecret = false, read } = parts;
  checkDefault(parts);
  return {
    expected,
    isOptional: optional,
    isSecret,
    read,
    ...(about !== undefined && { about }),
    ...(parts.default !== undefined && { byDefault: parts.default }),
  };
}

function checkDefault({ default: text = '', expected, read, isLate = false }: VariableParts<unknown>): void {
  if (text === '' || isLate || 'value' in read(text)) return;
  throw new Error(`default: got ${JSON.stringify(text)}, expected ${expected}`);
}

/** The text of a default. */
export function defaultText(value: string | number | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
