import { createServer } from 'node:http';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { controlClient, ControlFailure } from '../../src/cli/control/client.ts';
import { UsageError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

/** A server on a socket that gives every request the same answer. */
async function answering(status: number, body: string): Promise<string> {
  const folder = temporaryFolder();
  const path = join(folder.path, 's');
  const server = createServer((_request, response) => void response.writeHead(status).end(body));
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    folder[Symbol.dispose]();
  });
  return path;
}

describe('the client of the control socket', () => {
  it('gives the document of the answer', async () => {
    const path = await answering(202, '{"runId":"x"}');

    expect(await controlClient(path).ask('POST', '/schedules/a/b/trigger')).toEqual({ runId: 'x' });
  });

  it.each<[number, string, new (message: string) => Error, string]>([
    [404, '{"error":"no hook x"}', UsageError, 'no hook x'],
    [409, '{"error":"stands by"}', ControlFailure, 'stands by'],
    [500, '[]', ControlFailure, 'the operator answered 500'],
    [200, 'not JSON', ControlFailure, 'no operator to ask at'],
  ])('makes an error of %i %s', async (status, body, kind, message) => {
    const path = await answering(status, body);

    const asked = controlClient(path).ask('GET', '/schedules');

    await expect(asked).rejects.toThrow(kind);
    await expect(asked).rejects.toThrow(message);
  });

  it('asks no socket of another user, who could answer in the place of the operator', async () => {
    const path = await answering(200, '{"runId":"x"}');
    const me = process.getuid?.() ?? 0;
    // Only root may change the owner; otherwise this process pretends to be another user.
    if (me === 0) chownSync(path, 12_345, 12_345);
    else vi.spyOn(process, 'geteuid').mockReturnValue(me + 1);
    onTestFinished(() => void vi.restoreAllMocks());

    await expect(controlClient(path).ask('GET', '/schedules')).rejects.toThrow(
      /belongs to user \d+, and you are user \d+/,
    );
  });

  it('says that a file is no socket', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const path = join(folder.path, 'file');
    writeFileSync(path, '');

    await expect(controlClient(path).ask('GET', '/schedules')).rejects.toThrow(
      /: (nobody listens there|that is no socket)/,
    );
  });
});
