import { gzipSync } from 'node:zlib';
import { readStoredRun } from '../../hook/run-record-reader.ts';
import type { RunRecord } from '../../hook/run-record.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { isObject } from '../../lib/json-object.ts';
import { KnownValues } from './known-values.ts';
import { Marks } from './marks.ts';
import { learning, masking, type MaskRules, type Pass } from './mask.ts';
import { outputDocuments } from './output-documents.ts';
import {
  OUTPUT_NAMES,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type OutputFile,
  type RecordedEnding,
  type RecordedHook,
  type RecordedOutputs,
  type Recording,
} from './recording.ts';
import { isSecretKind, type RedactPath } from './walk.ts';

/** A run as it was, Secrets included: what a recording is made of. Plain data, for a thread. */
export interface RawRun {
  readonly id: string;
  readonly hooklet: string;
  /** The record with its lines, as JSON. */
  readonly record: string;
  readonly hook: RecordedHook;
  readonly env: Readonly<Record<string, string>>;
  /** JSON in UTF-8. */
  readonly contexts: Uint8Array;
  readonly ending: RecordedEnding;
  readonly outputs: Readonly<Record<string, string>>;
  readonly redact: readonly RedactPath[];
  readonly secretBindings: readonly string[];
}

/** A recording that is done, or why there is none. */
export type RecordedRun =
  | { readonly type: 'recorded'; readonly id: string; readonly bytes: Uint8Array }
  | { readonly type: 'refused'; readonly id: string; readonly why: string };

/** Values that were seen in earlier runs of a hook are masked too, up to this room. */
const MAX_KEPT_CHARS = 1024 * 1024;
const MAX_HOOKS = 100;

/** Makes recordings: masks what is secret, and packs the rest. It never throws, and no error has a value in it. */
export class RecordingMaker {
  readonly #marks: Marks;
  readonly #known = new Map<string, KnownValues>();

  constructor(key: Uint8Array) {
    this.#marks = new Marks(key);
  }

  make(raw: RawRun): RecordedRun {
    try {
      const text = JSON.stringify(maskedRun(raw, this.#knownOf(raw.hook.name), this.#marks));
      return { type: 'recorded', id: raw.id, bytes: gzipSync(text) };
    } catch (error) {
      this.#known.delete(raw.hook.name);
      const why = error instanceof Error ? error.name : 'unknown';
      return { type: 'refused', id: raw.id, why: `it could not be masked (${why})` };
    }
  }

  #knownOf(hook: string): KnownValues {
    const found = this.#known.get(hook);
    if (found !== undefined && found.chars < MAX_KEPT_CHARS) return found;
    if (this.#known.size >= MAX_HOOKS) this.#known.clear();
    const known = new KnownValues(this.#marks);
    this.#known.set(hook, known);
    return known;
  }
}

interface Parts {
  readonly contexts: readonly Readonly<Record<string, unknown>>[];
  readonly outputs: ReadonlyMap<string, readonly unknown[] | undefined>;
  readonly isAboutSecret: boolean;
}

function maskedRun(raw: RawRun, known: KnownValues, marks: Marks): Recording {
  const stored = readStoredRun(JSON.parse(raw.record));
  if (stored === undefined) throw new TypeError('no record');
  const parts = partsOf(raw);
  const { redact, secretBindings } = raw;
  const rules: MaskRules = { redact, secretBindings: new Set(secretBindings), names: namesOf(stored.record) };
  through(parts, learning(known, rules));
  const mask = masking(known, marks, rules);
  const { contexts, outputs } = through(parts, mask);
  const { hooklet, hook, env, ending } = raw;
  return {
    format: RECORDING_FORMAT,
    version: RECORDING_VERSION,
    hooklet,
    run: maskedRecord(stored.record, mask),
    hook,
    env,
    contexts,
    ending,
    outputs: filesOf(raw, outputs, marks),
    printed: stored.log.map(({ stream, line }) => ({ stream, line: textOf(mask, line) })),
  };
}

function partsOf({ contexts: bytes, outputs: texts }: RawRun): Parts {
  const value = parseExactJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  if (!Array.isArray(value) || !value.every(isObject)) throw new TypeError('no contexts');
  const written = OUTPUT_NAMES.filter((name) => (texts[name] ?? '') !== '');
  const outputs = new Map(written.map((name) => [name, outputDocuments(texts[name] ?? '')]));
  return { contexts: value, outputs, isAboutSecret: value.some(isAboutSecret) };
}

/** Whether a context is the review of a request about a Secret. */
function isAboutSecret({ review }: Readonly<Record<string, unknown>>): boolean {
  const request = isObject(review) ? review['request'] : undefined;
  const kind = isObject(request) ? request['kind'] : undefined;
  return isObject(kind) && isSecretKind(kind['kind']);
}

function through({ contexts, outputs, isAboutSecret: isSecret }: Parts, pass: Pass): Omit<Parts, 'isAboutSecret'> {
  const documentsOf = (name: string, documents: readonly unknown[] | undefined): readonly unknown[] | undefined =>
    documents?.map((one) => (name === 'admission' ? pass.admission(one, isSecret) : pass.value(one)));
  return {
    contexts: contexts.map((context) => pass.context(context)),
    outputs: new Map([...outputs].map(([name, documents]) => [name, documentsOf(name, documents)])),
  };
}

function filesOf({ outputs: texts }: RawRun, outputs: Parts['outputs'], marks: Marks): RecordedOutputs {
  const files = [...outputs].map(([name, documents]): readonly [string, OutputFile] => [
    name,
    documents === undefined ? { unreadable: marks.of(texts[name] ?? '') } : { documents },
  ]);
  return Object.fromEntries(files);
}

function namesOf({ objects }: RunRecord): ReadonlySet<string> {
  return new Set(objects.flatMap(({ namespace, name }) => [name, ...(namespace === undefined ? [] : [namespace])]));
}

/** What hooks, users and the API server wrote; names, times and numbers stay. */
function maskedRecord(run: RunRecord, mask: Pass): RunRecord {
  const text = (value: string): string => textOf(mask, value);
  const { error, warnings, result, request, patches, parts, ...rest } = run;
  return {
    ...rest,
    patches: patches.map((patch) => ({ ...patch, target: text(patch.target) })),
    ...(error !== undefined && { error: text(error) }),
    ...(warnings !== undefined && { warnings: warnings.map(text) }),
    ...(result !== undefined && {
      result: Object.fromEntries(Object.entries(result).map(([key, value]) => [key, text(String(value))])),
    }),
    ...(request !== undefined && {
      request: { ...request, ...(request.message !== undefined && { message: text(request.message) }) },
    }),
    ...(parts !== undefined && {
      parts: parts.map((part) => ({ ...part, ...(part.error !== undefined && { error: text(part.error) }) })),
    }),
  };
}

function textOf(mask: Pass, value: string): string {
  const masked = mask.value(value);
  return typeof masked === 'string' ? masked : '';
}
