import type { RunLine } from '../../hook/run-record.ts';
import { isExactNumber } from '../../lib/exact-json.ts';
import { isObject } from '../../lib/json-object.ts';
import { lineDiff } from '../run/line-diff.ts';
import {
  OUTPUT_NAMES,
  type OutputFile,
  type RecordedEnding,
  type RecordedOutputName,
  type RecordedOutputs,
  type Recording,
} from '../../run/recording/recording.ts';
import { Unmasked } from './unmasked.ts';

/** What a run was, for the comparison. */
export type Compared = Pick<Recording, 'ending' | 'outputs' | 'printed'>;

export const PARTS = ['exit', 'output', ...OUTPUT_NAMES] as const;
export type PartName = (typeof PARTS)[number];

/** One part of a run, recorded and replayed. */
export interface Part {
  readonly part: PartName;
  readonly isSame: boolean;
  /** In words: `exit code 3`, `2 documents`. */
  readonly summary: string;
  /** A unified diff from what was recorded to what was replayed; empty for the same. */
  readonly diff: string;
}

export interface Comparison {
  readonly parts: readonly Part[];
  /** The number of masked values that the hook made itself. */
  readonly uncompared: number;
}

/** Compares a replayed run with the recorded one. */
export function compareRuns(recorded: Recording, replayed: Compared): Comparison {
  const unmasked = new Unmasked(recorded.contexts);
  const texts = new Map<PartName, readonly [string, string]>([
    ['exit', [endingText(recorded.ending), endingText(replayed.ending)]],
    ...OUTPUT_NAMES.map((name) => [name, fileTexts(name, { recorded, replayed, unmasked })] as const),
    ['output', printedTexts(recorded, replayed.printed, unmasked)],
  ]);
  const parts = PARTS.map((part): Part => {
    const [before, after] = texts.get(part) ?? ['', ''];
    const isSame = before === after;
    const summary = summaryOf(part, recorded, replayed);
    return { part, isSame, summary, diff: isSame ? '' : lineDiff(before, after) };
  });
  return { parts, uncompared: unmasked.count };
}

/** How a run ended: `exit code 3`. */
export function endingText({ type, exitCode, signal, timedOut }: RecordedEnding): string {
  if (timedOut === true) return 'failed: ran longer than its time limit';
  if (signal !== undefined) return `failed: ended by ${signal}`;
  if (exitCode !== undefined) return `failed: exit code ${exitCode}`;
  return type;
}

interface Both {
  readonly recorded: { readonly outputs: RecordedOutputs };
  readonly replayed: Compared;
  readonly unmasked: Unmasked;
}

function fileTexts(name: RecordedOutputName, { recorded, replayed, unmasked }: Both): readonly [string, string] {
  const [before, after] = [recorded.outputs[name], replayed.outputs[name]];
  return [fileText(before), fileText(maskedFile(before, after, unmasked))];
}

function maskedFile(before: OutputFile | undefined, after: OutputFile | undefined, unmasked: Unmasked) {
  if (after === undefined || before === undefined) return after;
  if ('unreadable' in after || 'unreadable' in before) return after;
  const documents = after.documents.map((one, at) => unmasked.masked(opened(before.documents[at]), opened(one)));
  return { documents };
}

/** Every file that cannot be read is the same: what it says is not recorded. */
function fileText(file: OutputFile | undefined): string {
  if (file === undefined) return '';
  if ('unreadable' in file) return 'neither JSON nor YAML\n';
  return file.documents.map((one) => `${stableJson(opened(one))}\n`).join('');
}

/** A patch of an admission response is base64, which nobody can read. */
function opened(document: unknown): unknown {
  if (!isObject(document) || typeof document['patch'] !== 'string' || 'operation' in document) return document;
  try {
    const patch: unknown = JSON.parse(Buffer.from(document['patch'], 'base64').toString());
    return { ...document, patch };
  } catch {
    return document;
  }
}

function printedTexts(
  { printed, run }: Pick<Recording, 'printed' | 'run'>,
  now: readonly RunLine[],
  unmasked: Unmasked,
): readonly [string, string] {
  // Of a long output only the end is kept.
  const isCut = run.lines > printed.length;
  const lines = isCut ? now.slice(Math.max(0, now.length - printed.length)) : now;
  const masked = lines.map((line, at) => ({ ...line, line: unmasked.masked(printed[at]?.line, line.line) }));
  const text = (all: readonly { readonly stream: string; readonly line: unknown }[]): string =>
    ['stdout', 'stderr', 'log']
      .flatMap((stream) => all.filter((one) => one.stream === stream).map(({ line }) => `${stream} ${String(line)}\n`))
      .join('');
  return [text(printed), text(masked)];
}

function summaryOf(part: PartName, recorded: Compared, replayed: Compared): string {
  const [before, after] = [sizeOf(part, recorded), sizeOf(part, replayed)];
  return before === after ? after : `${before}, now ${after}`;
}

function sizeOf(part: PartName, { ending, outputs, printed }: Compared): string {
  if (part === 'exit') return endingText(ending);
  if (part === 'output') return counted(printed.length, 'line');
  const file = outputs[part];
  if (file === undefined) return 'nothing';
  return 'unreadable' in file ? 'not readable' : counted(file.documents.length, 'document');
}

function counted(count: number, what: string): string {
  if (count === 0) return 'nothing';
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** JSON with sorted keys. */
function stableJson(value: unknown): string {
  return JSON.stringify(sorted(value), undefined, 2);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value) || isExactNumber(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
