import { createHmac, randomBytes } from 'node:crypto';
import { constants, closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { summaryOf } from '../../errors.ts';
import { present } from '../../hook/config-reader.ts';
import type { Environment } from '../../kube/environment.ts';
import type { Logger } from '../../log.ts';
import type { EnvironmentChange } from '../../server/page/model.ts';
import { isObject } from '../../lib/json-object.ts';

export interface EnvironmentsOptions {
  /** What hooks inherit. */
  readonly env: Environment;
  readonly hookEnv?: Readonly<Record<string, string>> | undefined;
  /** Where the records of runs are kept too; undefined: earlier processes are not known. */
  readonly folder?: string | undefined;
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** The environment of hooks from a time on: hashes of its values, by their names. */
interface Known {
  readonly fromMs: number;
  readonly hashes: Readonly<Record<string, string>>;
}

const FILE = 'environments.json';
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_KNOWN = 20;
const MAX_NAMES = 1000;
const MAX_NAME = 200;
const KEY_BYTES = 32;
const HASH_DIGITS = 8;

/**
 * The environments that hooks had in this process and, with a folder, in the last ones: names, and hashes of values under
 * a random key, never values. The key is beside the hashes, for the user of the operator alone.
 */
export class Environments {
  readonly #known: readonly Known[];

  constructor(options: EnvironmentsOptions) {
    const { env, hookEnv, folder, now, log } = options;
    const file = folder === undefined ? undefined : join(folder, FILE);
    const { key, known } = file === undefined ? anew() : readKept(file, log);
    this.#known = [...known, { fromMs: now(), hashes: hashesOf({ ...env, ...hookEnv }, key) }].slice(-MAX_KNOWN);
    if (file !== undefined) this.#keep(file, key, log);
  }

  /** What differs between the environments of runs that started at these times. */
  readonly change = (beforeMs: number, afterMs: number): EnvironmentChange | undefined => {
    const [before, after] = [this.#at(beforeMs), this.#at(afterMs)];
    if (before === undefined || after === undefined) return undefined;
    const names = new Set([...before.keys(), ...after.keys()]);
    const changed = [...names].filter((name) => before.get(name) !== after.get(name)).toSorted();
    const changes = changed.map((name) => ({
      name,
      ...present({ before: before.get(name), after: after.get(name) }),
    }));
    return { same: names.size - changed.length, changes };
  };

  #at(timeMs: number): ReadonlyMap<string, string> | undefined {
    const known = this.#known.findLast(({ fromMs }) => fromMs <= timeMs);
    return known && new Map(Object.entries(known.hashes));
  }

  #keep(file: string, key: string, log: Pick<Logger, 'warn'>): void {
    const part = `${file}.new`;
    try {
      rmSync(part, { force: true });
      writeFileSync(part, JSON.stringify({ version: 1, key, known: this.#known }), { mode: 0o600, flag: 'wx' });
      renameSync(part, file);
    } catch (error) {
      log.warn({ err: summaryOf(error), file }, 'the names of the environment could not be kept');
    }
  }
}

interface Kept {
  /** In hexadecimal. */
  readonly key: string;
  readonly known: readonly Known[];
}

function anew(): Kept {
  return { key: randomBytes(KEY_BYTES).toString('hex'), known: [] };
}

/** What an earlier process kept; a file that is none of ours is left out, and replaced. */
function readKept(file: string, log: Pick<Logger, 'warn'>): Kept {
  try {
    const text = readBounded(file);
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    const { key, known } = isObject(value) ? value : {};
    if (typeof key !== 'string' || !/^[0-9a-f]{64}$/.test(key) || !Array.isArray(known)) return anew();
    return { key, known: known.filter(isKnown).slice(-MAX_KNOWN) };
  } catch (error) {
    log.warn({ err: summaryOf(error), file }, 'the names of earlier environments could not be read');
    return anew();
  }
}

/** Undefined where there is none; a link is not followed. */
function readBounded(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > MAX_BYTES) throw new Error('it is no file of ours');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function isKnown(value: unknown): value is Known {
  if (!isObject(value) || !isObject(value['hashes']) || typeof value['fromMs'] !== 'number') return false;
  return Object.values(value['hashes']).every((hash) => typeof hash === 'string');
}

function hashesOf(env: Environment, key: string): Known['hashes'] {
  const hashOf = (name: string, value: string): string =>
    createHmac('sha256', Buffer.from(key, 'hex')).update(`${name}\0${value}`).digest('hex').slice(0, HASH_DIGITS);
  const entries = Object.entries(env)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MAX_NAMES);
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(0, MAX_NAME), hashOf(name, value)]));
}
