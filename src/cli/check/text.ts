import type { CheckedBinding, CheckedHook, CheckProblem, CheckReport } from './report.ts';

const SKIPPED_HELP = `What is skipped never runs. A file that is no hook belongs in a folder called lib; --allow-skipped lets all pass.
`;

/** The report for people: each hook with its bindings, then each problem as `file:line: severity: …`. */
export function checkText(report: CheckReport): string {
  const { hooks, problems } = report;
  const names = new Set(hooks.map(({ name }) => name));
  const isSkipping = problems.some(({ hook, severity }) => hook === null && severity === 'error');
  return [
    // Hooks of several folders may have the same name.
    ...hooks.map((hook) => hookText(hook, names.size === hooks.length ? hook.name : hook.file)),
    ...problems.map(problemText),
    ...(isSkipping ? [SKIPPED_HELP] : []),
    summaryText(report),
  ].join('');
}

function hookText({ bindings, settings, type }: CheckedHook, title: string): string {
  const lines = [...bindings.map(bindingText), ...(settings === '' ? [] : [`settings ${settings}`])];
  return `${title}${type === 'warm' ? ' (warm)' : ''}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function bindingText({ summary, shards }: CheckedBinding): string {
  return shards === undefined ? summary : `${summary}; ${shards}`;
}

function problemText({ severity, file, line, path, message, output }: CheckProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  const printed = Object.entries(output ?? {}).filter(([, text]) => text !== '');
  return [
    `${place}: ${severity}: ${path === '' ? '' : `${path}: `}${message}\n`,
    ...printed.map(([stream, text]) => `  ${stream}: ${text}\n`),
  ].join('');
}

/** The last line of the report: the numbers of hooks and problems. */
export function summaryText({ summary: { hooks, broken, errors, warnings } }: CheckReport): string {
  if (errors === 0) return `${hooks} hook(s), ${warnings === 0 ? 'no problems' : `${warnings} warning(s)`}\n`;
  const more = warnings === 0 ? '' : `, ${warnings} warning(s)`;
  return `${hooks} hook(s), ${broken} broken, ${errors} problem(s)${more}\n`;
}
