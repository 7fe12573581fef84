import { createReadStream } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { UsageError, type Issue } from '../../errors.ts';
import {
  inside,
  readFields,
  readFlag,
  readInteger,
  readList,
  readText,
  readWord,
  report,
  reportValue,
  type Place,
  type Read,
} from '../../hook/config-reader.ts';
import { readRunRecord } from '../../hook/run-record-reader.ts';
import type { RunLine, RunRecord } from '../../hook/run-record.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { shown } from '../../lib/shown.ts';
import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';
import {
  OUTPUT_NAMES,
  RECORDING_FORMAT,
  RECORDING_VERSION,
  type OutputFile,
  type RecordedEnding,
  type RecordedHook,
  type RecordedOutputs,
  type Recording,
} from '../../run/recording/recording.ts';
import { version as ownVersion } from '../program/version.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a recording may have after it is unpacked. */
export const MAX_RECORDING_BYTES = 64 * 1024 * 1024;
const MAX_DEPTH = 1200;
const MAX_SHOWN_PROBLEMS = 20;
const GZIP = 0x1f;

/**
 * Reads a recording, as JSON or in gzip; `-` is standard input. Rejects with a `UsageError` that has all problems: whoever
 * wrote the file, nothing of it is used before all of it was checked.
 */
export async function readRecording(file: string): Promise<Recording> {
  const bytes = await readBytes(file);
  const text = (bytes[0] === GZIP ? unpacked(file, bytes) : bytes).toString();
  const issues: Issue[] = [];
  const recording = readWhole(parsed(file, text), { path: '', issues }, file);
  if (issues.length === 0 && recording !== undefined) return recording;
  const lines = issues.slice(0, MAX_SHOWN_PROBLEMS).map(({ path, message }) => `\n  ${path}: ${message}`);
  throw new UsageError(`${file} is no recording of a run, of which hooklet runs export writes one:${lines.join('')}`);
}

async function readBytes(file: string): Promise<Buffer> {
  const input: AsyncIterable<Uint8Array | string> = file === '-' ? process.stdin : createReadStream(file);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of input) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > MAX_RECORDING_BYTES) throw tooLarge(file);
      chunks.push(bytes);
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
  return Buffer.concat(chunks);
}

function unpacked(file: string, bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_RECORDING_BYTES });
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(file);
    throw new UsageError(`${file} cannot be unpacked: ${messageOf(cause)}; export the run again`, { cause });
  }
}

function tooLarge(file: string): UsageError {
  return new UsageError(`${file} has more than ${MAX_RECORDING_BYTES} bytes: no run that is recorded has as many`);
}

function parsed(file: string, text: string): unknown {
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (cause) {
    throw new UsageError(`${file} is not JSON: ${messageOf(cause)}; export the run again`, { cause });
  }
  if (isDeeper(value, MAX_DEPTH)) throw new UsageError(`${file} is nested deeper than ${MAX_DEPTH} levels`);
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

/** What the file says that it is comes first: of a newer version the rest may mean anything. */
function readWhole(value: unknown, place: Place, file: string): Recording | undefined {
  const { format, version, hooklet } = isObject(value) ? value : {};
  if (format !== RECORDING_FORMAT) {
    return reportValue(inside(place, 'format'), format, JSON.stringify(RECORDING_FORMAT));
  }
  if (typeof version === 'number' && version > RECORDING_VERSION) {
    throw new UsageError(
      `${file}: version is ${version}, written by hooklet ${shown(hooklet)}; hooklet ${ownVersion} reads up to ${RECORDING_VERSION}: replay it with that version or a newer one`,
    );
  }
  if (version !== RECORDING_VERSION) return reportValue(inside(place, 'version'), version, String(RECORDING_VERSION));
  return readThisVersion(value, place);
}

function readThisVersion(value: unknown, place: Place): Recording | undefined {
  const fields = readRecordingFields(value, place);
  const { hooklet = '', run, hook, env = {}, contexts, ending, outputs = {}, printed = [] } = fields;
  if (run === undefined || hook === undefined || ending === undefined || contexts === undefined) return undefined;
  const [format, version] = [RECORDING_FORMAT, RECORDING_VERSION] as const;
  return { format, version, hooklet, run, hook, env, contexts, ending, outputs, printed };
}

const readRun: Read<RunRecord> = (value, place) => {
  const run = readRunRecord(value);
  return run ?? report(place, 'is no record of a run: it lacks one of its fields, see docs/runs.md');
};

/** Of the environment only what hooklet sets: another variable could make a hook do something else. */
const ENV = { RUN_ID: /^[\w-]{1,64}$/, TRACEPARENT: /^[0-9a-f-]{1,64}$/ } as const;

function readEnvValue(name: keyof typeof ENV): Read<string> {
  return (value, place) => {
    const text = readText(value, place);
    if (text === undefined || ENV[name].test(text)) return text;
    return reportValue(place, value, `a text that matches ${ENV[name].source}`);
  };
}

const readEnvFields = readFields({ RUN_ID: readEnvValue('RUN_ID'), TRACEPARENT: readEnvValue('TRACEPARENT') });

const readEnv: Read<Readonly<Record<string, string>>> = (value, place) => {
  const { RUN_ID: id, TRACEPARENT: parent } = readEnvFields(value, place);
  return { ...(id !== undefined && { RUN_ID: id }), ...(parent !== undefined && { TRACEPARENT: parent }) };
};

const HOOK_TYPES = { process: 'process', warm: 'warm' } as const;
const readHookFields = readFields(
  { name: readText, type: readWord<RecordedHook['type']>(HOOK_TYPES), hash: readText },
  { required: { name: 'the name of the hook', type: 'process or warm' } },
);

const readHook: Read<RecordedHook> = (value, place) => {
  const { name, type, hash } = readHookFields(value, place);
  return name === undefined || type === undefined ? undefined : { name, type, ...(hash !== undefined && { hash }) };
};

const ENDINGS = { succeeded: 'succeeded', later: 'later', failed: 'failed' } as const;
const readEndingFields = readFields(
  { type: readWord<RecordedEnding['type']>(ENDINGS), exitCode: readInteger, signal: readText, timedOut: readFlag },
  { required: { type: 'succeeded, later or failed' } },
);

const readEnding: Read<RecordedEnding> = (value, place) => {
  const { type, exitCode, signal, timedOut } = readEndingFields(value, place);
  if (type === undefined) return undefined;
  return {
    type,
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(timedOut === true && { timedOut }),
  };
};

const MAX_DOCUMENTS = 1_000_000;
const readAny: Read<{ readonly value: unknown }> = (value) => ({ value });
const readFileFields = readFields({ documents: readList(readAny, 0, MAX_DOCUMENTS), unreadable: readText });

const readFile: Read<OutputFile> = (value, place) => {
  const { documents, unreadable } = readFileFields(value, place);
  if (documents !== undefined) return { documents: documents.map((one) => one.value) };
  return unreadable === undefined ? undefined : { unreadable };
};

const readOutputFields = readFields({
  patch: readFile,
  metrics: readFile,
  result: readFile,
  admission: readFile,
  conversion: readFile,
});

const readOutputs: Read<RecordedOutputs> = (value, place) => {
  const files = readOutputFields(value, place);
  return Object.fromEntries(OUTPUT_NAMES.flatMap((name) => (files[name] === undefined ? [] : [[name, files[name]]])));
};

const readContext: Read<Fields> = (value, place) =>
  isObject(value) ? value : reportValue(place, value, 'a binding context');

const STREAMS = { stdout: 'stdout', stderr: 'stderr', log: 'log' } as const;
const readLineFields = readFields({ stream: readWord<RunLine['stream']>(STREAMS), line: readText });
const readLine: Read<RunLine> = (value, place) => {
  const { stream, line } = readLineFields(value, place);
  return stream === undefined || line === undefined ? undefined : { stream, line };
};

const readRecordingFields = readFields(
  {
    format: readText,
    version: readInteger,
    hooklet: readText,
    run: readRun,
    hook: readHook,
    env: readEnv,
    contexts: readList(readContext, 0, 100_000),
    ending: readEnding,
    outputs: readOutputs,
    printed: readList(readLine, 0, 10_000),
  },
  {
    required: {
      run: 'the record of the run',
      hook: 'the hook that ran',
      contexts: 'its binding contexts',
      ending: 'how it ended',
    },
  },
);
