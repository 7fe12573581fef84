import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { sidebar } from './sidebar.ts';
import { repositoryLinks } from './repository-links.ts';

const root = join(import.meta.dirname, '..', '..');

/** The pages of the repository as one site; `collect-pages.ts` copies them to `pages` first. */
export default defineConfig({
  title: 'hooklet',
  description: 'A Kubernetes hook runner: drop executable scripts into a folder and build an image.',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.cache',
  // Where the site is served, such as /hooklet/.
  base: process.env['SITE_BASE'] ?? '/',
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    config: (md) =>
      md.use(repositoryLinks, { root, pages: join(root, 'site', 'pages'), source: process.env['SITE_SOURCE'] }),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sidebar(root),
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Examples', link: '/examples/' },
      { text: 'Solutions', link: '/solutions/' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
  },
});
