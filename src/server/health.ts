import { printable, printableLine } from '../lib/printable.ts';

/** One thing that must be well, such as a watch or a hook. */
export interface HealthCheck {
  /** `watch v1/pods`, `hook 001-copy.sh`. */
  readonly name: string;
  readonly isOk: boolean;
  /** What is wrong and what to do, or what is worth knowing when all is well; may be empty. */
  readonly message: string;
}

export interface HealthReport {
  readonly checks: readonly HealthCheck[];
}

export function isHealthy({ checks }: HealthReport): boolean {
  return checks.every(({ isOk }) => isOk);
}

/** `ok`, or a line for each check that fails; with `verbose` a line for each check, as Kubernetes words it. */
export function healthText(report: HealthReport, { endpoint, verbose }: HealthTextOptions): string {
  const healthy = isHealthy(report);
  if (healthy && !verbose) return 'ok\n';
  const shown = report.checks.filter(({ isOk }) => verbose || !isOk);
  return `${shown.map(checkText).join('')}${endpoint} check ${healthy ? 'passed' : 'failed'}\n`;
}

export interface HealthTextOptions {
  /** `healthz`, `readyz`. */
  readonly endpoint: string;
  readonly verbose: boolean;
}

const MAX_MESSAGE = 1000;

function checkText({ name: given, isOk, message }: HealthCheck): string {
  const name = printableLine(shortened(given));
  const lines = printable(shortened(message)).replaceAll('\n', '\n    ');
  if (isOk) return `[+]${name} ok${message === '' ? '' : `: ${lines}`}\n`;
  return `[-]${name}${message === '' ? ' failed' : `: ${lines}`}\n`;
}

function shortened(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
