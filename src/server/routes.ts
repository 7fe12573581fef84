import { healthText, isHealthy, type HealthEndpoint, type HealthReport } from './health.ts';
import { isProfilePath, PROFILES_TEXT } from './profiles.ts';
import { sharedPage } from './shared-page.ts';

/** The answer to one request. */
export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** Builds a page for the query of a request. */
export type Route = (query: URLSearchParams) => Page | Promise<Page>;

/** The body of a page, as text or bytes. */
export type PageText = string | Uint8Array;

export interface RouteOptions {
  readonly metricsText: () => PageText | Promise<PageText>;
  readonly hookMetricsText: () => PageText | Promise<PageText>;
  readonly health: () => HealthReport;
  /** The checks of /readyz/webhooks. */
  readonly webhookHealth: () => HealthReport;
  readonly liveness?: () => HealthReport;
}

const METRICS_TYPE = 'text/plain; version=0.0.4';
const KEEP_METRICS_MS = 200;

const PROFILE_INDEX = '/debug/pprof/';
/** Stands for all paths below. */
const OTHER_PROFILES = '/debug/pprof/*';

/** The page of a path; undefined where there is none. */
export function routeTo(routes: ReadonlyMap<string, Route>, path: string): Route | undefined {
  if (path === '/debug/pprof') return routes.get(PROFILE_INDEX);
  return routes.get(path) ?? (isProfilePath(path) ? routes.get(OTHER_PROFILES) : undefined);
}

/** Creates the pages, by path. */
export function createRoutes(options: RouteOptions): ReadonlyMap<string, Route> {
  const { metricsText, hookMetricsText, health, webhookHealth, liveness = () => ({ checks: [] }) } = options;
  return new Map<string, Route>([
    ['/', index],
    ['/discovery', discovery],
    [PROFILE_INDEX, () => ({ status: 200, type: 'text/plain', body: PROFILES_TEXT })],
    // Go's profiles are not there: whoever asks for one gets no file that looks like one.
    [OTHER_PROFILES, () => ({ status: 501, type: 'text/plain', body: PROFILES_TEXT })],
    ['/metrics', sharedPage(async () => metricsPage(await metricsText()), { keepMs: KEEP_METRICS_MS })],
    ['/metrics/hooks', sharedPage(async () => metricsPage(await hookMetricsText()), { keepMs: KEEP_METRICS_MS })],
    ['/healthz', healthRoute('healthz', liveness)],
    ['/readyz', healthRoute('readyz', health)],
    ['/readyz/webhooks', healthRoute('readyz/webhooks', webhookHealth)],
  ]);
}

function metricsPage(body: PageText): Page {
  return { status: 200, type: METRICS_TYPE, body };
}

function healthRoute(endpoint: HealthEndpoint, report: () => HealthReport): Route {
  // A page is reused for ten times as long as it took to build, which is very short unless there are thousands of
  // checks.
  const pageOf = (verbose: boolean): (() => Promise<Page>) =>
    sharedPage(() => healthPage(endpoint, report(), verbose), { keepMs: 0 });
  const verbosePage = pageOf(true);
  const briefPage = pageOf(false);
  return (query) => (query.has('verbose') && query.get('verbose') !== 'false' ? verbosePage() : briefPage());
}

function healthPage(endpoint: HealthEndpoint, report: HealthReport, verbose: boolean): Page {
  const failed = endpoint === 'healthz' ? 500 : 503;
  const body = healthText(report, { endpoint, verbose });
  return { status: isHealthy(report) ? 200 : failed, type: 'text/plain', body };
}

const LINKS: readonly (readonly [path: string, meaning: string])[] = [
  ['/metrics', 'metrics of hooklet'],
  ['/metrics/hooks', 'metrics of the hooks'],
  ['/healthz', 'whether the process is alive'],
  ['/readyz?verbose', 'whether everything is synchronized, check by check'],
  ['/readyz/webhooks?verbose', 'whether webhooks can be answered, check by check'],
  ['/discovery', 'all paths'],
  [PROFILE_INDEX, 'where profiles of the process are'],
];

/** All paths, as in shell-operator. */
function discovery(): Page {
  const paths = [
    '/',
    '/discovery',
    '/healthz',
    '/metrics',
    '/metrics/hooks',
    '/readyz',
    '/readyz/webhooks',
    OTHER_PROFILES,
  ];
  return { status: 200, type: 'text/plain', body: paths.map((path) => `GET ${path}\n`).join('') };
}

function index(): Page {
  const links = LINKS.map(([path, meaning]) => `<li><a href="${path}">${path}</a>: ${meaning}</li>`);
  const body = `<!doctype html>\n<title>hooklet</title>\n<h1>hooklet</h1>\n<ul>\n${links.join('\n')}\n</ul>\n`;
  return { status: 200, type: 'text/html', body };
}
