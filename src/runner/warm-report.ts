import { explainSize, type OutputName } from './output-limits.ts';
import type { OutputLine } from './spawner-protocol.ts';
import { readOutputLine, readUsage } from './spawner-report.ts';
import type { HookLogEntry, RunReport, WarmReport } from './warm-protocol.ts';
import { readCount, readFields, readList, readObject, readOneOf, readOptional, readText } from './wire-reader.ts';

const TYPES = ['hello', 'ready', 'broken', 'output', 'log', 'done', 'failed'] as const;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const MAX_LINES = 1000;

/**
 * Validates a report from a warm process, or from anything else that connected to the socket; throws an error that
 * names the problem.
 */
export function readReport(value: unknown): WarmReport {
  const fields = readFields(value);
  const type = readOneOf(fields, 'type', TYPES);
  switch (type) {
    case 'hello':
      return { type, token: readText(fields, 'token') };
    case 'ready':
      return { type, bytes: checkSize('config', readCount(fields, 'bytes')) };
    case 'broken':
      return { type, error: readText(fields, 'error') };
    case 'output':
      return readOutput(fields);
    case 'log':
      return { type, id: readCount(fields, 'id'), entry: readEntry(readObject(fields, 'entry')) };
    case 'done':
      return { type, ...readRun(fields) };
    case 'failed':
      return { type, reason: readText(fields, 'reason'), error: readText(fields, 'error'), ...readRun(fields) };
  }
}

type Fields = ReturnType<typeof readFields>;

function readOutput(fields: Fields): WarmReport {
  const id = readOptional(fields, 'id', readCount);
  const lines: readonly OutputLine[] = readList(fields, 'lines', readOutputLine);
  if (lines.length > MAX_LINES) throw new Error(`lines: received ${lines.length}, expected at most ${MAX_LINES}`);
  return { type: 'output', lines, ...(id !== undefined && { id }) };
}

function readEntry(fields: Fields): HookLogEntry {
  return {
    level: readOneOf(fields, 'level', LEVELS),
    message: readText(fields, 'message'),
    fields: readObject(fields, 'fields'),
  };
}

function readRun(fields: Fields): RunReport {
  const bytes = readCount(fields, 'bytes');
  const patchBytes = readCount(fields, 'patchBytes');
  if (patchBytes > bytes) throw new Error(`patchBytes: received ${patchBytes}, expected at most bytes, ${bytes}`);
  checkSize('patch', patchBytes);
  const resultBytes = checkSize('result', readCount(fields, 'resultBytes'));
  const admissionBytes = checkSize('admission', readOptional(fields, 'admissionBytes', readCount) ?? 0);
  const conversionBytes = checkSize('conversion', readOptional(fields, 'conversionBytes', readCount) ?? 0);
  const restBytes = bytes - patchBytes - admissionBytes - conversionBytes;
  if (resultBytes > restBytes) throw new Error(`resultBytes: received ${resultBytes}, expected at most ${restBytes}`);
  checkSize('metrics', restBytes - resultBytes);
  const usage = readUsage(readObject(fields, 'usage'));
  return { id: readCount(fields, 'id'), bytes, patchBytes, admissionBytes, conversionBytes, resultBytes, usage };
}

function checkSize(name: OutputName, bytes: number): number {
  const problem = explainSize(name, bytes);
  if (problem !== undefined) throw new Error(problem);
  return bytes;
}
