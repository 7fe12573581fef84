import type { LogLevel } from '../../log.ts';
import type { OptionSpec } from './spec.ts';

type LogFormat = 'auto' | 'text' | 'json' | 'color';

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  warning: 'warn',
  error: 'error',
  fatal: 'error',
};
const FORMATS: Readonly<Record<string, LogFormat>> = {
  auto: 'auto',
  text: 'text',
  logfmt: 'text',
  json: 'json',
  color: 'color',
};

/** The option of the level of the log. A word that means none does not end the start, as in shell-operator. */
export function logLevelOption(name: string, env: readonly string[]): OptionSpec<LogLevel> {
  return wordOption({ flag: name, env, words: ['debug', 'info', 'warn', 'error'], known: LEVELS, fallback: 'info' });
}

/** The option of the format of the log. A word that means none does not end the start, as in shell-operator. */
export function logFormatOption(name: string, env: readonly string[]): OptionSpec<LogFormat> {
  return wordOption({ flag: name, env, words: ['auto', 'text', 'json', 'color'], known: FORMATS, fallback: 'auto' });
}

interface WordOption<T extends string> {
  readonly flag: string;
  readonly env: readonly string[];
  /** The words of the help. */
  readonly words: readonly T[];
  readonly known: Readonly<Record<string, T>>;
  readonly fallback: T;
}

function wordOption<T extends string>({ flag, env, words, known, fallback }: WordOption<T>): OptionSpec<T> {
  const meant = (value: string): T | undefined => {
    const word = value.toLowerCase();
    return Object.hasOwn(known, word) ? known[word] : undefined;
  };
  return {
    flag,
    env,
    defaultText: fallback,
    description: `one of ${words.join(', ')}`,
    parse: (value) => meant(value) ?? fallback,
    note: (value) =>
      meant(value) === undefined ? `expected one of ${words.join(', ')}; it is ${fallback}` : undefined,
    fallback,
  };
}
