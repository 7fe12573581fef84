import { inspect, styleText } from 'node:util';
import { printable, printableLine } from './printable.ts';

/** One log line for people. */
export interface TextLine {
  readonly time: Date;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly colors: boolean;
  /** Whether to include the stacks of errors. */
  readonly stacks: boolean;
}

const COLORS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;
const MAX_CAUSES = 5;

/**
 * Formats `15:04:05.123 INFO  message  key=value` and a newline, with lists of texts and multi-line values indented
 * below. Characters that control a terminal are escaped, because names, messages and output come from others.
 */
export function formatTextLine(line: TextLine): string {
  const paint = painter(line.colors);
  const pairs: string[] = [];
  const below: string[] = [];
  for (const [name, value] of Object.entries(line.fields)) {
    if (value === undefined) continue;
    if (isListOfTexts(value)) {
      below.push(...value.map(printable));
      continue;
    }
    const key = printableLine(name);
    const text = printable(valueText(value, line.stacks));
    if (text.includes('\n')) below.push(`${paint('gray', `${key}:`)} ${text}`);
    else pairs.push(`${paint('gray', `${key}=`)}${quoted(value, text)}`);
  }
  const fields = pairs.length === 0 ? '' : `  ${pairs.join(' ')}`;
  const paragraphs = below.map((text) => `\n    ${indented(text)}`);
  return `${formatTextHead(line)} ${indented(printable(line.message))}${fields}${paragraphs.join('')}\n`;
}

/** Indents further lines, so that they cannot pass for log lines. */
function indented(text: string): string {
  return text.replaceAll('\n', '\n    ');
}

/** Formats the beginning of a line: `15:04:05.123 INFO `. */
export function formatTextHead({ time, level, colors }: Pick<TextLine, 'time' | 'level' | 'colors'>): string {
  const paint = painter(colors);
  return `${paint('gray', clock(time))} ${paint(COLORS[level], level.toUpperCase().padEnd(5))}`;
}

/** Returns the messages of an error and its causes. */
export function messagesOf(error: Error): string {
  return errorText(error, false);
}

/** Returns the messages of an error and its causes, or their stacks if requested. */
function errorText(error: Error, stacks: boolean): string {
  const texts = [stacks ? (error.stack ?? error.message) : error.message];
  let { cause } = error;
  for (let depth = 0; cause instanceof Error && depth < MAX_CAUSES; depth += 1) {
    const isSaid = texts.some((text) => cause instanceof Error && text.includes(cause.message));
    if (!isSaid || stacks) texts.push(`caused by: ${stacks ? (cause.stack ?? cause.message) : cause.message}`);
    ({ cause } = cause);
  }
  return texts.join('\n');
}

type Paint = (color: 'gray' | 'green' | 'yellow' | 'red', text: string) => string;

function painter(colors: boolean): Paint {
  return colors ? (color, text) => styleText(color, text, { validateStream: false }) : (_color, text) => text;
}

function clock(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const milliseconds = String(time.getMilliseconds()).padStart(3, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${milliseconds}`;
}

function valueText(value: unknown, stacks: boolean): string {
  if (value instanceof Error) return errorText(value, stacks);
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return objectText(value);
  return String(value);
}

/** Whether a value is a list of sentences, which need no field name; lists of single words do. */
function isListOfTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || !value.every((element) => typeof element === 'string')) return false;
  return value.some((element) => /\s/.test(element));
}

function quoted(value: unknown, text: string): string {
  const isText = typeof value === 'string' || value instanceof Error;
  return isText && /^$|[\s"=]/.test(text) ? JSON.stringify(text) : text;
}

/** Never throws: a log line must not fail because of a value. */
function objectText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return inspect(value, { breakLength: Number.POSITIVE_INFINITY });
  }
}
