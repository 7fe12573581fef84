import type { RemoteLine } from '../hook/remote-run.ts';
import type { HookOutput } from './executor.ts';
import { PRINTED_LIMIT_BYTES } from './output-limits.ts';
import { RunOutput } from './run-output.ts';

/** More than a Pod sends, so that what it says of dropped lines is not dropped. */
const SLACK_BYTES = 4096;

/** The lines of a run in another Pod, as many as a local run may print. */
export class RemoteOutput {
  readonly #output: RunOutput;
  #onOutput: (output: HookOutput) => void;

  constructor(onOutput: (output: HookOutput) => void) {
    this.#onOutput = onOutput;
    const onLines = (lines: readonly RemoteLine[]): void => lines.forEach((line) => this.#tell(line));
    this.#output = new RunOutput({ limitBytes: PRINTED_LIMIT_BYTES + SLACK_BYTES, isImmediate: true, onLines });
  }

  print(lines: readonly RemoteLine[]): void {
    for (const line of lines) if (this.#output.take(lengthOf(line))) this.#tell(line);
  }

  /** From now on lines go there. */
  tellTo(onOutput: (output: HookOutput) => void): void {
    this.#onOutput = onOutput;
  }

  /** No more lines are told; says how many were dropped. */
  end(): void {
    this.#output.end();
    this.#onOutput = () => {};
  }

  #tell({ stream, line, entry }: RemoteLine): void {
    if (entry === undefined) this.#onOutput({ type: 'line', line: { stream, line } });
    else this.#onOutput({ type: 'entry', entry: { ...entry, message: line } });
  }
}

function lengthOf({ line, entry }: RemoteLine): number {
  return line.length + (entry === undefined ? 0 : JSON.stringify(entry).length);
}
