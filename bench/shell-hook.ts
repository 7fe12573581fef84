import { writeFileSync } from 'node:fs';

/** Appends the begin of the run and the size of its contexts to `$BENCH_OUT`. */
export const RECORD = 'echo "$began $(stat -c %s "$BINDING_CONTEXT_PATH")" >> "$BENCH_OUT"';

/** Writes a bash hook with this config; a run has its begin in `$began`, and executes `body`. */
export function writeShellHook(path: string, config: Readonly<Record<string, unknown>>, body = RECORD): void {
  const text = JSON.stringify({ configVersion: 'v1', ...config });
  const script = ['#!/bin/bash', 'began=$EPOCHREALTIME', 'if [ "$1" = --config ]; then', "cat <<'JSON'", text, 'JSON'];
  writeFileSync(path, `${[...script, 'exit', 'fi', body].join('\n')}\n`, { mode: 0o755 });
}
