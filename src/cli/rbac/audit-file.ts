import { createReadStream } from 'node:fs';
import { UsageError } from '../../errors.ts';
import { AuditEvents, type OwnerOfUser } from '../../rights/audit-events.ts';
import { messageOf } from '../../lib/message-of.ts';

/** An event of the level RequestResponse may have a whole object in it twice. */
const MAX_LINE = 8 * 1024 * 1024;
const NEWLINE = 10;

/** Reads an audit log of any size, one line at a time; rejects with `UsageError` when it cannot be read. */
export async function readAuditFile(path: string, ownerOf: OwnerOfUser): Promise<AuditEvents> {
  const events = new AuditEvents(ownerOf);
  const source: AsyncIterable<Buffer> = path === '-' ? process.stdin : createReadStream(path);
  try {
    await eachLine(source, events);
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`--audit ${path} cannot be read: ${reason}`, { cause: error });
  }
  const { lines, broken } = events.summary();
  if (lines === 0) throw new UsageError(`--audit ${path} is empty, expected an audit log with one event in each line`);
  if (broken === lines) {
    throw new UsageError(
      `--audit ${path}: none of its ${lines} lines is an audit event: expected JSON of the API server's --audit-log-path, one event in each line`,
    );
  }
  return events;
}

async function eachLine(source: AsyncIterable<Buffer>, events: AuditEvents): Promise<void> {
  let rest: Buffer[] = [];
  let size = 0;
  const end = (): void => {
    if (size > MAX_LINE) events.skip();
    else events.line(Buffer.concat(rest).toString('utf8'));
    rest = [];
    size = 0;
  };
  const take = (part: Buffer): void => {
    size += part.length;
    // What is too long is not kept, only its length.
    if (size <= MAX_LINE) rest.push(part);
    else rest = [];
  };
  for await (const chunk of source) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      end();
      from = at + 1;
    }
    take(chunk.subarray(from));
  }
  end();
}
