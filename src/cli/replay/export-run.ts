import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { UsageError } from '../../errors.ts';
import { ControlFailure, type ControlIo } from '../control/client.ts';
import { MAX_RECORDING_BYTES } from './read-recording.ts';
import { messageOf } from '../../lib/message-of.ts';

export interface ExportFlags {
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
}

/** `hooklet runs export`: resolves to the exit code. */
export async function exportRun(id: string, { output, force = false }: ExportFlags, io: ControlIo): Promise<number> {
  if (id === '') throw new UsageError('a run has an id; see hooklet runs list');
  const answer = await io.client.ask('GET', `/runs/${encodeURIComponent(id)}/recording`);
  const text = textOf(answer['recording']);
  if (output === undefined || output === '-') {
    io.raw(text);
    return 0;
  }
  await write(output, text, force);
  io.stderr(`${output} is the recording of run ${String(answer['id'])}: hooklet replay ${output} --hooks DIR\n`);
  return 0;
}

function textOf(recording: unknown): string {
  if (typeof recording !== 'string') throw new ControlFailure('the operator gave no recording: is it an older one?');
  try {
    const bytes = Buffer.from(recording, 'base64');
    return `${gunzipSync(bytes, { maxOutputLength: MAX_RECORDING_BYTES }).toString()}\n`;
  } catch (error) {
    throw new ControlFailure('the operator gave a recording that cannot be read', { cause: error });
  }
}

/** A link is never followed: who may write to the folder could send the file elsewhere. */
async function write(path: string, text: string, isForced: boolean): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  let file: FileHandle;
  try {
    file = await open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | (isForced ? 0 : O_EXCL), 0o600);
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const reason = messageOf(cause);
    if (isThere) throw new UsageError(`-o: ${path} is there already; --force writes over it`, { cause });
    throw new UsageError(`-o: ${path} cannot be written: ${reason}`, { cause });
  }
  await using closing = file;
  await closing.chmod(0o600);
  await closing.truncate();
  await closing.writeFile(text);
}
