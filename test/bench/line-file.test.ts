import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLineFile, type LineFile } from '../../bench/line-file.ts';

let folder: string;
let file: LineFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-line-file-'));
  file = openLineFile(join(folder, 'out'));
});

afterEach(() => {
  file[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

describe('a file of lines', () => {
  it('tells when there are enough, and counts whole lines only', async () => {
    const reached = file.reach(2);
    appendFileSync(file.path, 'one\ntw');
    expect(file.lines()).toEqual(['one']);

    appendFileSync(file.path, 'o\nthree');

    expect(await reached).toEqual(['one', 'two']);
  });

  it('tells at once what is there already', async () => {
    appendFileSync(file.path, 'one\n');

    expect(await file.reach(1)).toEqual(['one']);
  });

  it('says what there was when it was not enough in time', async () => {
    appendFileSync(file.path, 'one\n');

    await expect(file.reach(2, 1)).rejects.toThrow('has 1 lines after 1 ms');
  });
});
