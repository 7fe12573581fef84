import { healthText, isHealthy, type HealthReport } from './health.ts';

/** The answer to one request. */
export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export type Route = (query: URLSearchParams) => Page | Promise<Page>;

export interface RouteOptions {
  readonly metricsText: () => string | Promise<string>;
  readonly hookMetricsText: () => string | Promise<string>;
  readonly health: () => HealthReport;
  readonly liveness?: () => HealthReport;
}

const METRICS_TYPE = 'text/plain; version=0.0.4';

/** The pages by path. */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, Route> {
  const { metricsText, hookMetricsText, health, liveness = () => ({ checks: [] }) } = options;
  return new Map<string, Route>([
    ['/', index],
    ['/metrics', async () => metricsPage(await metricsText())],
    ['/metrics/hooks', async () => metricsPage(await hookMetricsText())],
    ['/healthz', (query) => healthPage('healthz', liveness(), query)],
    ['/readyz', (query) => healthPage('readyz', health(), query)],
  ]);
}

function metricsPage(body: string): Page {
  return { status: 200, type: METRICS_TYPE, body };
}

function healthPage(endpoint: string, report: HealthReport, query: URLSearchParams): Page {
  const verbose = query.has('verbose') && query.get('verbose') !== 'false';
  const failed = endpoint === 'readyz' ? 503 : 500;
  const body = healthText(report, { endpoint, verbose });
  return { status: isHealthy(report) ? 200 : failed, type: 'text/plain', body };
}

const LINKS: readonly (readonly [path: string, meaning: string])[] = [
  ['/metrics', 'metrics of hooklet'],
  ['/metrics/hooks', 'metrics of the hooks'],
  ['/healthz', 'whether the process is alive'],
  ['/readyz?verbose', 'whether everything is synchronized, check by check'],
];

function index(): Page {
  const links = LINKS.map(([path, meaning]) => `<li><a href="${path}">${path}</a>: ${meaning}</li>`);
  const body = `<!doctype html>\n<title>hooklet</title>\n<h1>hooklet</h1>\n<ul>\n${links.join('\n')}\n</ul>\n`;
  return { status: 200, type: 'text/html', body };
}
