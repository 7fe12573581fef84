import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClientAuthorities } from '../../../src/server/certificates/client-authorities.ts';
import { createCertificate } from '../../support/certificate.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const [OLD, NEW] = [createCertificate().cert, createCertificate().cert];

function rig() {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const file = join(folder.path, 'ca.crt');
  const log = recordingLogger();
  const authorities = new ClientAuthorities([file], log);
  let changes = 0;
  const follow = (): void => {
    const ends = new AbortController();
    const following = authorities.follow(() => (changes += 1), ends.signal);
    onTestFinished(async () => {
      ends.abort();
      await following;
    });
  };
  return { file, log, authorities, follow, changes: () => changes };
}

describe('the certificates of callers', () => {
  it('are read again when their file changes', async () => {
    const { file, authorities, follow, changes } = rig();
    writeFileSync(file, OLD);
    await authorities.read();
    follow();
    expect(authorities.texts()).toEqual([OLD]);

    writeFileSync(file, NEW);

    await expect.poll(() => authorities.texts()).toEqual([NEW]);
    expect(changes()).toBe(1);
  });

  it.each([
    ['empty', ''],
    ['half written', OLD.slice(0, 100)],
  ])('stay as they were when the file is %s, and the log says so once', async (_how, text) => {
    const { file, log, authorities, follow, changes } = rig();
    writeFileSync(file, OLD);
    await authorities.read();
    follow();

    writeFileSync(file, text);
    await expect.poll(() => log.lines.map(({ fields }) => String(fields['err']))).toHaveLength(1);
    writeFileSync(file, text);
    writeFileSync(file, NEW);
    await expect.poll(() => authorities.texts()).toEqual([NEW]);

    expect(log.lines.map(({ fields }) => String(fields['err']))).toEqual([`Error: ${file} has no certificate`]);
    expect(changes()).toBe(1);
  });

  it('are missing at the start: that is an error', async () => {
    await expect(rig().authorities.read()).rejects.toThrow('ENOENT');
  });

  it('of no file are none, and nothing is followed', async () => {
    const authorities = new ClientAuthorities([], recordingLogger());
    await authorities.read();
    await authorities.follow(() => {}, new AbortController().signal);
    expect(authorities.texts()).toEqual([]);
  });
});
