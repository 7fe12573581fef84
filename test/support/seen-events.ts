import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { isJsonObject, type Sandbox } from '@hooklet/sandbox';
import { textAt } from '@hooklet/sandbox/testing';

/** A watch of a collection that lasts until it is disposed of. */
export interface SeenEvents extends AsyncDisposable {
  /** What it saw so far, such as `DELETED team-a/login`. */
  readonly lines: readonly string[];
}

/** Watches the collection at an API path, from its first object on. */
export async function watchEvents({ url, token }: Sandbox, path: string): Promise<SeenEvents> {
  const controller = new AbortController();
  const { body } = await fetch(`${url}${path}?watch=1`, {
    headers: { authorization: `Bearer ${token}` },
    signal: controller.signal,
  });
  if (body === null) throw new Error(`a watch of ${path} has no events`);
  const lines: string[] = [];
  const reading = read(body, lines);
  return {
    lines,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await reading;
    },
  };
}

async function read(body: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  try {
    for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
      const event: unknown = JSON.parse(line);
      if (!isJsonObject(event)) continue;
      const { namespace, name } = Object.fromEntries(
        ['namespace', 'name'].map((field) => [field, textAt(event, 'object', 'metadata', field)]),
      );
      lines.push(`${textAt(event, 'type')} ${namespace}/${name}`);
    }
  } catch {
    // It was disposed of.
  }
}
