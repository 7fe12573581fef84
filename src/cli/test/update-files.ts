import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import { readRegular } from '../../lib/read-regular.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { StoryFailure, StoryResult } from '../../scenario/story/run-story.ts';
import { type TextChange, updateText } from '../../scenario/story/update-text.ts';

/** What was written into one file. */
export interface UpdatedFile {
  readonly file: string;
  /** How many values were replaced. */
  readonly values: number;
}

export interface Updates {
  readonly files: readonly UpdatedFile[];
  /** Differences that have no value in the file which could be replaced. */
  readonly left: number;
}

/** Writes what was found in place of what was expected, into the files of the stories. */
export function updateFiles(results: readonly StoryResult[]): Updates {
  const files = [...new Set(results.map(({ scenario }) => scenario.file))];
  const failures = results.reduce((sum, result) => sum + result.failures.length, 0);
  const updated = files.map((file) => {
    const changes = results.filter(({ scenario }) => scenario.file === file).flatMap(changesOf);
    return { file, values: changes.length === 0 ? 0 : updateFile(file, changes) };
  });
  const values = updated.reduce((sum, one) => sum + one.values, 0);
  return { files: updated.filter((one) => one.values > 0), left: failures - values };
}

function changesOf({ scenario, failures }: StoryResult): readonly TextChange[] {
  const { document } = scenario;
  return document === undefined ? [] : failures.flatMap((failure) => changeOf(document, failure));
}

function changeOf(document: number, { step, difference }: StoryFailure): readonly TextChange[] {
  if (difference?.found === undefined) return [];
  const place = step === undefined ? ['given', 'expect'] : ['steps', step, 'expect'];
  return [{ document, path: [...place, ...difference.at], value: difference.found }];
}

function updateFile(file: string, changes: readonly TextChange[]): number {
  const path = resolve(file);
  const before = `${path}.${process.pid}.tmp`;
  try {
    const { text, made } = updateText(readRegular(path), changes);
    if (made.length === 0) return 0;
    // Whoever reads the file meanwhile gets the old text or the new one.
    writeFileSync(before, text, { mode: statSync(path).mode });
    renameSync(before, path);
    return made.length;
  } catch (error) {
    rmSync(before, { force: true });
    throw new UsageError(`${file} cannot be updated: ${messageOf(error)}`);
  }
}
