import { startOptions } from './options.ts';
import { attributeName, type Flags } from './resolve.ts';
import { ignoredOptions } from '../control/ignored-options.ts';
import { programName } from '../program/program-name.ts';

// The name that shell-operator has for --log-format.
const LOG_TYPE = '--log-type <format>';

/** Flags of `start` that its help does not list. */
export const hiddenStartFlags: readonly string[] = [LOG_TYPE, ...Object.values(ignoredOptions).map(({ flag }) => flag)];

type Kind = 'switch' | 'value' | 'list';

/** The name under which `startFlags` gives the words that are no flags. */
export const OPERANDS = 'operands';

/**
 * Reads the flags of `start`: loading commander takes 5 ms more, at each start of a pod. A switch may have its value
 * behind `=`, as in Go; of a flag that is given twice the last one counts, and a list has both. Words that are no flags are
 * taken and left aside, as in shell-operator, when the program was called so. Undefined for `--help` and for wrong flags:
 * commander reads them again, and prints the help or the message.
 */
export function startFlags(args: readonly string[], name = programName()): Flags | undefined {
  const flags: Record<string, string | boolean> = {};
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const isOperand = name === 'shell-operator' && !arg.startsWith('-');
    const read = isOperand ? operand(arg) : readFlag(arg, args[index + 1]);
    if (read === undefined) return undefined;
    const before = flags[read.name];
    const isMore = read.kind === 'list' && before !== undefined;
    flags[read.name] = isMore ? `${String(before)},${String(read.value)}` : read.value;
    if (read.isTwoWords) index += 1;
  }
  return flags;
}

/** The arguments without the values of switches, which commander does not take; for its messages. */
export function withoutSwitchValues(args: readonly string[]): readonly string[] {
  return args.map((arg) => {
    const name = arg.slice(0, Math.max(0, arg.indexOf('=')));
    return kinds().get(name) === 'switch' ? name : arg;
  });
}

interface ReadFlag {
  /** As commander names it. */
  readonly name: string;
  readonly kind: Kind;
  readonly value: string | boolean;
  /** The value is the next argument. */
  readonly isTwoWords: boolean;
}

function readFlag(arg: string, next: string | undefined): ReadFlag | undefined {
  const equals = arg.indexOf('=');
  const word = equals === -1 ? arg : arg.slice(0, equals);
  const kind = kinds().get(word);
  if (kind === undefined) return undefined;
  const name = attributeName(word);
  if (equals !== -1) return { name, kind, value: arg.slice(equals + 1), isTwoWords: false };
  if (kind === 'switch') return { name, kind, value: true, isTwoWords: false };
  return next === undefined || isFlagLike(next) ? undefined : { name, kind, value: next, isTwoWords: true };
}

function operand(value: string): ReadFlag {
  return { name: OPERANDS, kind: 'list', value, isTwoWords: false };
}

/** `--kube-client-qps -1` has a value, `--hooks-dir --help` has none. */
function isFlagLike(text: string): boolean {
  return /^-[^\d]/.test(text);
}

let known: ReadonlyMap<string, Kind> | undefined;

/** What each flag takes, by its name with the dashes. */
function kinds(): ReadonlyMap<string, Kind> {
  known ??= new Map([
    ...Object.values(startOptions).map(({ flag }) => kindOf(flag)),
    ...hiddenStartFlags.map((flag) => kindOf(flag)),
  ]);
  return known;
}

/** `--hooks-dir <dir>` takes a value, `--client-ca <file...>` several. */
function kindOf(flag: string): readonly [name: string, kind: Kind] {
  const [name = '', value] = flag.split(' ', 2);
  if (value === undefined) return [name, 'switch'];
  return [name, value.endsWith('...>') ? 'list' : 'value'];
}
