import { readFile } from 'node:fs/promises';
import type { ReadStream } from 'node:tty';
import type { Sandbox } from '@hooklet/sandbox';
import { aborted } from '../../lib/aborted.ts';
import type { OpenedOperator } from '../../operator/run-operator.ts';
import type { Task } from '../../hook/task.ts';
import type { RunJournal } from '../../run/journal.ts';
import { DevKeys } from './dev-keys.ts';
import type { Asked } from './asked.ts';
import type { KeyDoor } from './choices.ts';

/** What `hooklet dev` passes to the operator for its keys, and what follows them. */
export interface TerminalKeys {
  readonly observer: RunJournal;
  readonly onOpened: (opened: OpenedOperator) => void;
  /** Follows the keys of a terminal until `signal` aborts, and leaves the terminal as it was. */
  run(input: ReadStream, signal: AbortSignal): Promise<void>;
}

/** Creates the keys of `hooklet dev`, which asks the sandbox. Quitting is what Ctrl-C does. */
export function terminalKeys(write: (text: string) => void, sandbox: Sandbox): TerminalKeys {
  let door: KeyDoor | undefined;
  let last: Task | undefined;
  const quit = (): void => void process.kill(process.pid, 'SIGINT');
  const keys = new DevKeys({ door: () => door, write, quit });
  return {
    observer: {
      record: (event) => {
        if (event.type === 'started') last = event.run.task;
      },
    },
    onOpened: ({ operator, port }) => {
      door = {
        hooks: () => operator.hooks.units,
        schedules: operator.schedules,
        push: (hook, trigger) => operator.runs.push(hook, trigger),
        last: () => last,
        asked: { sandbox, post: posting(port), readFile, nowMs: Date.now },
      };
    },
    run: async (input, signal) => {
      const press = (bytes: Buffer): void => {
        // An escape sequence, such as that of an arrow, is no key of ours.
        const text = bytes.toString('utf8');
        if (text.length > 1 && text.startsWith('\u001B')) return;
        for (const key of text) keys.press(key);
      };
      const restore = (): void => void input.setRawMode(false);
      input.setRawMode(true);
      process.once('exit', restore);
      input.on('data', press);
      try {
        await aborted(signal);
      } finally {
        input.off('data', press).pause();
        process.off('exit', restore);
        keys.end();
        restore();
      }
    },
  };
}

const LIMIT_MS = 30_000;

/** Makes requests to the port of the operator. */
function posting(port: number): Asked['post'] {
  return async (path, headers, body) => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body, signal });
    return { code: response.status, text: await response.text() };
  };
}
