import type { Exit, OutputLine, SpawnerReport, Usage } from './spawner-protocol.ts';
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

/** Checks a report; the sender is ours, so that a wrong one means that it is broken. Throws what is wrong with it. */
export function readSpawnerReport(value: unknown): SpawnerReport {
  const fields = readFields(value);
  const type = readText(fields, 'type');
  if (type === 'started') return { type, id: readCount(fields, 'id'), pid: readCount(fields, 'pid') };
  if (type === 'output') {
    return { type, id: readCount(fields, 'id'), lines: readList(fields, 'lines', readOutputLine) };
  }
  if (type === 'exit') return { type, id: readCount(fields, 'id'), exit: readExit(readObject(fields, 'exit')) };
  // The others hold nothing that is used unseen.
  return { ...fields, type } as SpawnerReport;
}

/** A line a hook printed. */
export function readOutputLine(value: unknown): OutputLine {
  const fields = readFields(value);
  return { stream: readOneOf(fields, 'stream', ['stdout', 'stderr'] as const), line: readText(fields, 'line') };
}

/** What a run cost; what is not told stays absent. */
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

function readExit(fields: Fields): Exit {
  const exitCode = readOptional(fields, 'exitCode', readCount);
  const signal = readOptional(fields, 'signal', readText);
  const startError = readOptional(fields, 'startError', readObject);
  return {
    timedOut: fields['timedOut'] === true,
    stdout: readText(fields, 'stdout'),
    stderr: readText(fields, 'stderr'),
    usage: readUsage(readObject(fields, 'usage')),
    ...(exitCode !== undefined && { exitCode }),
    ...(signal !== undefined && { signal }),
    ...(startError !== undefined && {
      startError: { code: readText(startError, 'code'), message: readText(startError, 'message') },
    }),
    ...(fields['isLost'] === true && { isLost: true }),
  };
}
