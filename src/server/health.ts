import { printable, printableLine } from '../lib/printable.ts';

/** One condition of health, such as that of a watch or a hook. */
export interface HealthCheck {
  /** `watch v1/pods`, `hook 001-copy.sh`. */
  readonly name: string;
  readonly isOk: boolean;
  /** The problem and what to do about it, or a remark when it is ok; may be empty. */
  readonly message: string;
  /** Whether it passes in spite of the problem that the message has; default false. */
  readonly isTolerated?: boolean;
  /** Whether it concerns some hooks alone; default false. */
  readonly isPartial?: boolean;
}

/** The checks of one endpoint. */
export interface HealthReport {
  readonly checks: readonly HealthCheck[];
}

/** Whether no check fails. */
export function isHealthy({ checks }: HealthReport): boolean {
  return checks.every(({ isOk }) => isOk);
}

/** Returns `ok`, or a line for each failed check; with `verbose` a line for each check, in the format of Kubernetes. */
export function healthText(report: HealthReport, { endpoint, verbose }: HealthTextOptions): string {
  const healthy = isHealthy(report);
  if (healthy && !verbose) return 'ok\n';
  const shown = report.checks.filter(({ isOk }) => verbose || !isOk);
  return `${shown.map(checkText).join('')}${endpoint} check ${healthy ? 'passed' : 'failed'}\n`;
}

/** The path of a report, without its first slash. */
export type HealthEndpoint = 'healthz' | 'readyz' | 'readyz/webhooks';

export interface HealthTextOptions {
  readonly endpoint: HealthEndpoint;
  readonly verbose: boolean;
}

const MAX_MESSAGE = 1000;

function checkText({ name: given, isOk, message, isTolerated = false }: HealthCheck): string {
  const name = printableLine(shortened(given));
  const lines = printable(shortened(message)).replaceAll('\n', '\n    ');
  if (isTolerated) return `[!]${name}: ${lines}\n`;
  if (isOk) return `[+]${name} ok${message === '' ? '' : `: ${lines}`}\n`;
  return `[-]${name}${message === '' ? ' failed' : `: ${lines}`}\n`;
}

function shortened(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}
