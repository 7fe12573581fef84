import { StringDecoder } from 'node:string_decoder';

/** Takes what comes, and keeps part of it. */
export interface Keep {
  readonly add: (chunk: Buffer) => void;
  readonly text: () => string;
}

const MAX_KEPT = 4 * 1024 * 1024;
const MAX_LINE = 64 * 1024;

/** Keeps the first 4 MiB of what comes. */
export function keepBeginning(): Keep {
  const kept: Buffer[] = [];
  let bytes = 0;
  return {
    add: (chunk) => {
      if (bytes < MAX_KEPT) kept.push(chunk.subarray(0, MAX_KEPT - bytes));
      bytes += chunk.length;
    },
    text: () => Buffer.concat(kept).toString(),
  };
}

/** Keeps what a pattern finds in each line, each text once, and 4 MiB of these; a line counts up to 64 KiB. */
export function keepMatches(pattern: RegExp): Keep {
  const decoder = new StringDecoder();
  const kept = new Set<string>();
  let size = 0;
  let rest = '';
  const look = (line: string): void => {
    const [found] = pattern.exec(line) ?? [];
    if (found === undefined || kept.has(found) || size + found.length > MAX_KEPT) return;
    size += found.length;
    // A copy: a part of a text keeps all of it in memory.
    kept.add(Buffer.from(found).toString());
  };
  return {
    add: (chunk) => {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop()?.slice(0, MAX_LINE) ?? '';
      for (const line of lines) look(line);
    },
    text: () => {
      look(rest);
      return [...kept].join('\n');
    },
  };
}
