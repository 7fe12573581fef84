import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fakeAccess } from '../support/page-rig.ts';
import { PATHS, shopPage } from './page-data.ts';

const PICTURES = fileURLToPath(new URL('../../docs/pictures', import.meta.url));
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const ARGS = ['no-sandbox', 'disable-gpu', 'disable-quic', 'no-first-run', 'disable-background-networking'];

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: [...ARGS, 'disable-component-update', 'disable-sync'].map((one) => `--${one}`),
  });
});
afterAll(async () => browser.close());

/** A page of the shop in a browser of its own; at the end nothing was refused or thrown in it. */
async function open(options: BrowserContextOptions = {}, rigOptions: Parameters<typeof shopPage>[0] = {}) {
  const rig = await shopPage(rigOptions);
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, baseURL: rig.url, ...options });
  onTestFinished(async () => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (line) => {
    const isExpected = line.text().includes('status of 404') || line.text().includes('status of 401');
    if (line.type() === 'error' && !isExpected) problems.push(line.text());
  });
  return { rig, page, problems };
}

async function mainText(page: Page): Promise<string> {
  return page.locator('#main').innerText();
}

describe('the page in a browser', () => {
  it('leads from what fails to what the hook printed, which is text and nothing else', async () => {
    const { page, problems } = await open();
    await page.goto('/');
    await page.getByRole('navigation').getByRole('link', { name: 'Failures' }).click();
    expect(await mainText(page)).toContain('cannot reach bucket');
    await page
      .getByRole('row', { name: /cannot reach bucket/ })
      .getByRole('link')
      .nth(1)
      .click();

    expect(await page.getByRole('region', { name: 'Output of the hook' }).innerText()).toContain(
      '<script>document.title = 2</script>',
    );
    expect(await page.title()).toBe('Run · hooklet');
    expect(problems).toEqual([]);
  });

  it('shows what happens without being loaded again, and keeps the focus', async () => {
    const { rig, page, problems } = await open();
    await page.goto('/');
    await page.getByText('live', { exact: true }).waitFor();
    const link = page.locator('.tiles a').nth(2);
    await link.focus();
    rig.start('orders', 'feedbeef-1');
    rig.state.version += 1;

    await page.getByRole('link', { name: 'feedbeef' }).waitFor();
    expect(await link.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(problems).toEqual([]);
  });

  it('asks the server for nothing while its tab is hidden, and shows the present when it is seen again', async () => {
    const { rig, page } = await open();
    await page.goto('/');
    await page.getByText('live', { exact: true }).waitFor();
    const show = async (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await show(true);
    // The server has seen the end of the stream when a change is rendered no more.
    await expect
      .poll(async () => {
        const before = rig.renderings();
        rig.state.version += 1;
        await page.waitForTimeout(1500);
        return rig.renderings() - before;
      })
      .toBe(0);

    rig.start('orders', 'feedbeef-2');
    await show(false);
    await page.getByRole('link', { name: 'feedbeef' }).waitFor();
  });

  it('retries all dead letters that match after it has said how many', async () => {
    const { rig, page } = await open();
    await page.goto('/dead?hook=100-copy-secret.sh');
    await page.getByRole('link', { name: 'Retry all 3' }).click();
    expect(await mainText(page)).toContain('Retry 3 dead letters with hook 100-copy-secret.sh?');
    await page.getByRole('button', { name: 'Yes' }).click();

    expect(await page.getByRole('status').filter({ hasText: 'Retried' }).innerText()).toBe('Retried 3.');
    expect(rig.actions).toEqual(['local developer: Retry 3 dead letters with hook 100-copy-secret.sh']);
  });

  it('drops a group of failures after it has named what is touched, by keyboard and without JavaScript', async () => {
    const { rig, page } = await open({ javaScriptEnabled: false });
    await page.goto('/failures');
    await page.getByRole('link', { name: 'Drop the 3 dead letters of the group' }).press('Enter');
    expect(await page.getByRole('list', { name: 'What is touched' }).getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'Yes' }).press('Enter');

    expect(await page.getByRole('status').filter({ hasText: 'Dropped' }).innerText()).toBe('Dropped 3.');
    expect(rig.actions).toEqual(['local developer: Drop 3 dead letters of a group of failures']);
  });

  it('is read, filtered and acted on without JavaScript', async () => {
    const { rig, page } = await open({ javaScriptEnabled: false });
    await page.goto('/runs');
    await page.getByLabel('Outcome').selectOption('later');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('later');
    expect(await page.locator('tbody tr').count()).toBe(1);

    await page.goto('/schedules');
    await page.getByRole('link', { name: 'Run now: db/backup.sh nightly' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    expect(rig.schedules.asked).toEqual(['trigger db/backup.sh nightly']);
  });

  it('is used by keyboard: a link past the navigation first, and the focus is seen', async () => {
    const { page } = await open();
    await page.goto('/pauses');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const resume = page.getByRole('link', { name: 'Resume hook 300-quota.py' });
    expect(await resume.evaluate((element) => element.matches(':focus-visible'))).toBe(true);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Yes' }).press('Enter');
    expect(await mainText(page)).toContain('Nothing is paused.');
  });

  it.each([
    ['light', '{}'],
    ['dark', "{ runOnly: ['color-contrast'] }"],
  ] as const)('has no fault that axe finds, in %s, on any view', async (colorScheme, rules) => {
    const { page, problems } = await open({ colorScheme });
    for (const path of PATHS) {
      await page.goto(path);
      await page.evaluate(AXE);
      const found = await page.evaluate(
        `axe.run(document, ${rules}).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
      );
      expect(found, path).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  it('fits a screen of 320 px on any view', async () => {
    const { page } = await open({ viewport: { width: 320, height: 640 } });
    for (const path of PATHS) {
      await page.goto(path);
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(320);
    }
  });

  it('lets people in who paste a token, and out again', async () => {
    const access = fakeAccess({ ann: ['list queues', 'list runs'] });
    const { page } = await open({}, { door: { type: 'tokens', access } });
    await page.goto('/runs?outcome=failed');
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Token').fill('ann');
    await page.getByRole('button', { name: 'Log in' }).click();

    expect(new URL(page.url()).search).toBe('?outcome=failed');
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByRole('link', { name: 'Hooks' }).click();
    expect(await mainText(page)).toContain('list hooks.hooks.hooklet.dev');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
  });
});

describe.runIf(process.env['UPDATE_PICTURES'] === '1')('the pictures of the docs', () => {
  it.each([
    ['page-now', '/', 'light', [1100, 540]],
    ['page-now-dark', '/', 'dark', [1100, 540]],
    ['page-run', '/run?id=1d3f5a7b', 'light', [1100, 660]],
    ['page-failures', '/failures', 'light', [1100, 300]],
    ['page-curves', '/curves', 'dark', [1100, 380]],
    ['page-phone', '/runs', 'light', [320, 640]],
  ] as const)('%s shows %s', async (name, path, colorScheme, [width, height]) => {
    mkdirSync(PICTURES, { recursive: true });
    const { page } = await open({ colorScheme, viewport: { width, height } });
    await page.goto(path);
    await page.getByText('live', { exact: true }).waitFor();
    await page.screenshot({ path: `${PICTURES}/${name}.png` });
  });
});
