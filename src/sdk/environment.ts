import { nearestName } from './nearest-name.ts';
import type { Variable } from './variable.ts';

/** Variables by their names. */
export type Variables = Readonly<Record<string, Variable<unknown>>>;

/** The values of variables, each with its type. */
export type Environment<V extends Variables> = { readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

export interface EnvironmentOptions<V extends Variables = Variables> {
  /** Such as `BACKUP_`: a variable that begins so and is not declared is a problem, since it is likely misspelled. */
  readonly prefix?: string;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What is wrong with values together, asked where each alone is right. */
  readonly check?: (values: Environment<V>) => readonly EnvironmentProblem[];
}

/** What is wrong with a variable. */
export interface EnvironmentProblem {
  readonly name: string;
  /** Such as `is "x", expected a whole number`; without the value of a secret. */
  readonly message: string;
}

const ADVICE = 'correct the environment of the hook, such as `env` of the container';

/** All that is wrong with the environment. A hook that throws it when it is loaded is broken, with these problems. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly problems: readonly EnvironmentProblem[];

  constructor(problems: readonly EnvironmentProblem[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const lines = problems.map(({ name, message }) => `  ${name} ${message.replaceAll(/\s+/g, ' ')}`);
    super([`the environment has ${count}:`, ...lines, ADVICE].join('\n'));
    this.problems = problems;
  }
}

/**
 * The values of variables of the environment. An empty variable counts as one that is not set. Throws one
 * `EnvironmentError` with all problems.
 */
export function environment<const V extends Variables>(
  variables: V,
  { prefix, env = process.env, check = () => [] }: EnvironmentOptions<V> = {},
): Environment<V> {
  const names = Object.keys(variables);
  const problems: EnvironmentProblem[] = [];
  const entries = Object.entries(variables).map(([name, variable]) => {
    const reading = readOne(variable, env[name] ?? '');
    if ('problem' in reading) problems.push({ name, message: reading.problem });
    return [name, 'value' in reading ? reading.value : undefined];
  });
  if (prefix !== undefined) problems.push(...undeclared(prefix, names, env));
  if (problems.length > 0) throw new EnvironmentError(problems);
  // Each value is what the variable of its name has read.
  const values = Object.fromEntries(entries) as Environment<V>;
  const together = check(values);
  if (together.length > 0) throw new EnvironmentError(together);
  return values;
}

function readOne(
  variable: Variable<unknown>,
  given: string,
): { readonly value: unknown } | { readonly problem: string } {
  const { byDefault, isOptional, isSecret, read } = variable;
  const chosen = given === '' ? byDefault : given;
  if (chosen === undefined) {
    return isOptional ? { value: undefined } : { problem: `is not set, expected ${expectedText(variable)}` };
  }
  const reading = read(chosen);
  if ('value' in reading) return reading;
  const value = isSecret ? 'has another value' : `is ${shown(chosen)}${given === '' ? ' by default' : ''}`;
  const detail = reading.problem === '' ? '' : `, and ${reading.problem}`;
  return { problem: `${value}${detail}; expected ${expectedText(variable)}` };
}

function expectedText({ expected, about }: Variable<unknown>): string {
  return about === undefined ? expected : `${expected}: ${about}`;
}

const MAX_SHOWN = 100;

/** In one line and without what a terminal would obey; credentials in a URL are left out. */
function shown(text: string): string {
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  const masked = cut.replace(/\/\/[^/?#\s]*@/, '//***@').replaceAll(/\p{C}/gu, (one) => `\\u{${codeOf(one)}}`);
  return `"${masked.replaceAll('"', '\\"')}"`;
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}

const MAX_UNDECLARED = 50;

function undeclared(
  prefix: string,
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly EnvironmentProblem[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith(prefix) && !names.includes(name));
  const own = unknown.filter((name) => !isOfService(name, env)).slice(0, MAX_UNDECLARED);
  return own.map((name) => {
    const near = nearestName(name, names);
    const hint = near === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${near}?`;
    return { name, message: `is set, but nothing reads it; ${hint}` };
  });
}

/** Whether Kubernetes sets the variable for a Service of the namespace, such as `BACKUP_PORT`. */
function isOfService(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const [, service] = /^(.+?)_(?:SERVICE_HOST|SERVICE_PORT|PORT)(?:_.*)?$/.exec(name) ?? [];
  return service !== undefined && env[`${service}_SERVICE_HOST`] !== undefined;
}
