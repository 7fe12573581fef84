/*
 * The forms of a value that are looked for in what a text stands for: the value as text, without the white space around
 * it and line by line, in base64 of both alphabets, with and without padding or line breaks, and what is in one that is
 * JSON.
 */

import { isUtf8 } from 'node:buffer';
import { newlinesAtEnd, type Marks } from './marks.ts';

/** A shorter value is masked in its place alone: texts would be full of it by chance. */
export const MIN_CHARS = 6;
/** A shorter line that is a mere word, such as `users:`, is not looked for either. */
const MIN_WORD = 8;
const WORD = /^[A-Za-z]+:?$/;
const MIN_BASE64_LINE = 8;
const BASE64_LINE = 76;
const MAX_LEAVES = 1000;

/** A form, and what replaces it. */
export type Form = readonly [form: string, replacement: string];

/** See above. The form in latin1, in which each character is a byte, is looked for in what is no text. */
export function* formsOf(bytes: Buffer, marks: Marks): Generator<Form> {
  const mark = marks.of(bytes);
  const end = newlinesAtEnd(bytes);
  const trimmed = bytes.subarray(0, bytes.length - end.length);
  const text = isUtf8(trimmed) ? trimmed.toString() : undefined;
  if ((text ?? bytes).length < MIN_CHARS) return;
  yield* base64FormsOf(bytes, `${mark}${end}`, marks);
  yield* base64FormsOf(trimmed, mark, marks);
  yield [trimmed.toString('latin1'), mark];
  if (text === undefined) return;
  yield [text, mark];
  const stripped = text.trim();
  yield [stripped, marks.of(stripped)];
  // Programs print a value line by line.
  for (const line of text.split(/[\r\n]+/)) {
    const one = line.trim();
    if (one.length >= MIN_WORD || !WORD.test(one)) yield [one, marks.of(one)];
  }
  for (const leaf of leavesOf(text)) yield* formsOf(Buffer.from(leaf), marks);
}

function* base64FormsOf(bytes: Buffer, masked: string, marks: Marks): Generator<Form> {
  const replacement = Buffer.from(masked).toString('base64');
  const plain = bytes.toString('base64');
  for (const form of [plain, plain.replace(/=+$/, '')]) {
    yield [form, replacement];
    yield [form.replaceAll('+', '-').replaceAll('/', '_'), replacement];
  }
  for (let at = 0; plain.length > BASE64_LINE && at < plain.length; at += BASE64_LINE) {
    const line = plain.slice(at, at + BASE64_LINE);
    if (line.length >= MIN_BASE64_LINE) yield [line, marks.of(line)];
  }
}

/** The texts in one that is JSON. */
function leavesOf(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const leaves: string[] = [];
  try {
    JSON.parse(text, (_key, value: unknown) => {
      if (typeof value === 'string' && leaves.length < MAX_LEAVES) leaves.push(value);
      return value;
    });
  } catch {
    return [];
  }
  return leaves;
}
