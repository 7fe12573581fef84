import { writeFileSync } from 'node:fs';

/** Appends to `$BENCH_OUT` when the run began and how large its contexts are. */
export const RECORD = 'echo "$began $(stat -c %s "$BINDING_CONTEXT_PATH")" >> "$BENCH_OUT"';

/** Writes a bash hook with this config; in a run it has the time of its beginning in `$began` and does what `body` says. */
export function writeShellHook(path: string, config: Readonly<Record<string, unknown>>, body = RECORD): void {
  const text = JSON.stringify({ configVersion: 'v1', ...config });
  const script = ['#!/bin/bash', 'began=$EPOCHREALTIME', 'if [ "$1" = --config ]; then', "cat <<'JSON'", text, 'JSON'];
  writeFileSync(path, `${[...script, 'exit', 'fi', body].join('\n')}\n`, { mode: 0o755 });
}
