import { writeFileSync, writeSync } from 'node:fs';
import { Script } from 'node:vm';
import { compileJqFilter, compileProgram, outputsText, parseFilterInput } from './jq-filter.ts';
import { compileJsonPath } from './json-path.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import { messageOf } from '../lib/message-of.ts';

/**
 * The program of the filter process, which runs the filters that take longer than a few milliseconds. It reads requests
 * from standard input and writes the outcomes to standard output, one at a time. A filter may exhaust the memory of
 * this process, or make it necessary to kill it, without harm to the operator.
 */

const MAX_FRAME_BYTES = 256 * 2 ** 20;
const MAX_COMPILED = 100;

type Work = (json: string) => { readonly result: string; readonly error?: string };

const CALL = new Script('filterWork()');
const compiled = new Map<string, Work>();

yieldToOthers();
const reader = new FrameReader(MAX_FRAME_BYTES);
// Run a trivial filter first, so that lazy loading does not count against the time limit of a real one.
withinTime(60_000, () => workOf('jq', '.')('{}'));
respond({ type: 'ready' }, '');
process.stdin.on('data', (chunk: Buffer) => {
  for (const { header, body } of reader.push(chunk)) handle(header, Buffer.from(body).toString());
});
process.stdin.on('end', () => process.exit());

function handle(header: unknown, json: string): void {
  const { id, type, expression, limitMs } = Object(header);
  try {
    const { result, error } = withinTime(Number(limitMs), () => workOf(String(type), String(expression))(json));
    respond({ type: 'done', id, ...(error === undefined ? {} : { error }) }, result);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      respond({ type: 'stopped', id }, '');
    } else {
      respond({ type: 'done', id, error: messageOf(error) }, 'null');
    }
  }
}

/** Runs `work`, and interrupts it after `limitMs`, even within a regular expression; throws in that case. */
function withinTime<T>(limitMs: number, work: () => T): T {
  const results: T[] = [];
  Object.assign(globalThis, { filterWork: () => results.push(work()) });
  CALL.runInThisContext({ timeout: limitMs });
  const [result] = results;
  if (result === undefined) throw new Error('the filter returned nothing');
  return result;
}

function workOf(type: string, expression: string): Work {
  const key = `${type} ${expression}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const work = compile(type, expression);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, work);
  return work;
}

function compile(type: string, expression: string): Work {
  if (type === 'patch') {
    const program = compileProgram(expression);
    return (json) => ({ result: outputsText(program, parseFilterInput(json)) });
  }
  if (type === 'jq') {
    const filter = compileJqFilter(expression);
    return (json) => filter.apply(parseFilterInput(json));
  }
  const filter = compileJsonPath(expression);
  return (json) => filter.apply(JSON.parse(json));
}

/** Writes synchronously: a pending write would be lost if the process were killed. */
function respond(header: object, body: string): void {
  for (const part of encodeFrame({ header, body: Buffer.from(body) })) {
    for (let at = 0; at < part.length;) at += writeSync(1, part, at);
  }
}

/** Makes the OOM killer choose this process before the operator. */
function yieldToOthers(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not on Linux, or not permitted: the filter process works without it.
  }
}
