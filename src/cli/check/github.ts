import type { CheckProblem, CheckReport } from './report.ts';
import { summaryText } from './text.ts';

/** The report as GitHub workflow commands, for which GitHub shows each problem at its line. */
export function checkGithub(report: CheckReport): string {
  return [...report.problems.map(command), summaryText(report)].join('');
}

/** Escapes text that may come from a hook, so that it cannot end the line and start another command. */
function command({ severity, file, line, path, message, hook }: CheckProblem): string {
  const properties = [
    ['file', file],
    ...(line === null ? [] : [['line', String(line)]]),
    ['title', hook === null ? 'no hook' : `hook ${hook}`],
  ];
  const words = properties.map(([name = '', value = '']) => `${name}=${property(value)}`).join(',');
  return `::${severity} ${words}::${data(path === '' ? message : `${path}: ${message}`)}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
