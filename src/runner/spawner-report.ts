import type { Exit, OutputLine, SpawnerReport, StartError, Usage } from './spawner-protocol.ts';
import {
  readAmount,
  readCount,
  readFields,
  readList,
  readObject,
  readOneOf,
  readOptional,
  readText,
} from './wire-reader.ts';

type Fields = ReturnType<typeof readFields>;

/**
 * Validates a report; an invalid one means that the spawner process is broken. Throws an error that names the problem.
 */
export function readSpawnerReport(value: unknown): SpawnerReport {
  const fields = readFields(value);
  const type = readText(fields, 'type');
  if (type === 'started') return { type, id: readCount(fields, 'id'), pid: readCount(fields, 'pid') };
  if (type === 'output') {
    return { type, id: readCount(fields, 'id'), lines: readList(fields, 'lines', readOutputLine) };
  }
  if (type === 'exit') return { type, id: readCount(fields, 'id'), exit: readExit(readObject(fields, 'exit')) };
  // The other reports have no fields that are used.
  return { ...fields, type } as SpawnerReport;
}

/** Validates a line that a hook printed. */
export function readOutputLine(value: unknown): OutputLine {
  const fields = readFields(value);
  return { stream: readOneOf(fields, 'stream', ['stdout', 'stderr'] as const), line: readText(fields, 'line') };
}

/** Validates the usage of a run; fields that are missing stay absent. */
export function readUsage(fields: Fields): Usage {
  const userCpuMs = readOptional(fields, 'userCpuMs', readAmount);
  const systemCpuMs = readOptional(fields, 'systemCpuMs', readAmount);
  const maxRssBytes = readOptional(fields, 'maxRssBytes', readAmount);
  return {
    ...(userCpuMs !== undefined && { userCpuMs }),
    ...(systemCpuMs !== undefined && { systemCpuMs }),
    ...(maxRssBytes !== undefined && { maxRssBytes }),
  };
}

function readStartError(fields: Fields): StartError {
  return {
    code: readText(fields, 'code'),
    message: readText(fields, 'message'),
    ...(fields['isShortage'] === true && { isShortage: true }),
  };
}

function readExit(fields: Fields): Exit {
  const exitCode = readOptional(fields, 'exitCode', readCount);
  const signal = readOptional(fields, 'signal', readText);
  const heldBy = readOptional(fields, 'heldBy', readText);
  const startError = readOptional(fields, 'startError', readObject);
  return {
    timedOut: fields['timedOut'] === true,
    stdout: readText(fields, 'stdout'),
    stderr: readText(fields, 'stderr'),
    usage: readUsage(readObject(fields, 'usage')),
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(startError !== undefined && { startError: readStartError(startError) }),
    ...(heldBy !== undefined && { heldBy }),
    ...(fields['isLost'] === true && { isLost: true }),
  };
}
