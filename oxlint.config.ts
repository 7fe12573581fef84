import { defineConfig, type OxlintConfig } from 'oxlint';

interface Pattern {
  readonly regex: string;
  readonly message: string;
}

type Override = NonNullable<OxlintConfig['overrides']>[number];

/** The files beside the rooms that every room above `lib` and `crontab` may import. */
export const SHARED_FILES = ['errors', 'log', 'metrics'];

const BASE = ['hook', 'crontab', 'lib', ...SHARED_FILES];
const HOUSE = ['sources', 'state', 'runner', 'effects', 'server', 'queue', 'kube', 'filter', ...BASE];

/** What each room of `src` may import; what is not in its list the linter refuses. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  crontab: ['lib'],
  queue: ['lib'],
  hook: ['crontab', 'lib', ...SHARED_FILES],
  kube: BASE,
  filter: BASE,
  state: ['kube', 'lib', ...SHARED_FILES],
  sources: ['state', 'kube', 'filter', ...BASE],
  effects: ['kube', 'filter', ...BASE],
  server: ['kube', 'filter', ...BASE],
  runner: ['kube', 'filter', 'sdk', ...BASE],
  run: ['runner', 'effects', ...BASE],
  units: ['sources', 'runner', 'effects', 'filter', ...BASE],
  operator: ['units', 'run', ...HOUSE],
  cli: ['operator', 'units', 'run', 'sandbox', 'sdk', ...HOUSE],
  sandbox: [],
  sdk: [],
};

/** What each folder of `src/kube` may import of the folders beside it; all but `http` import the files above them. */
export const KUBE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  http: [],
  credentials: ['http'],
  watch: ['http'],
  discovery: ['http'],
  coordination: ['http'],
};

const DOORS =
  'outside src/lib a wait goes through a door of lib, which gives it an end: eventually, within, hedged, sleep, aborted, abortable; latch and Bell for what this process does itself';

interface EndlessWait {
  readonly name: string;
  readonly importNames?: string[];
  readonly message: string;
}

// Waits without an end of our own.
const ENDLESS_WAITS: readonly EndlessWait[] = [
  { name: 'node:events', importNames: ['once', 'on'], message: DOORS },
  { name: 'node:timers/promises', message: DOORS },
  { name: 'node:stream/promises', message: DOORS },
  { name: 'node:readline/promises', message: DOORS },
];

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'node', 'oxc'],
  categories: {
    correctness: 'error',
  },
  options: {
    typeAware: true,
  },
  env: {
    node: true,
    es2024: true,
  },
  ignorePatterns: ['dist', 'node_modules'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/return-await': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/prefer-readonly': 'error',
    'import/no-cycle': 'error',
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'max-lines': [
      'error',
      {
        max: 300,
        skipBlankLines: true,
        skipComments: true,
      },
    ],
    'max-lines-per-function': [
      'error',
      {
        max: 50,
        skipBlankLines: true,
        skipComments: true,
      },
    ],
    'max-params': [
      'error',
      {
        max: 4,
      },
    ],
    complexity: [
      'error',
      {
        max: 10,
      },
    ],
    'promise/avoid-new': 'error',
    'no-restricted-properties': [
      'error',
      {
        object: 'Promise',
        property: 'withResolvers',
        message: DOORS,
      },
    ],
  },
  overrides: [
    ...Object.keys(ROOMS).map(roomRule),
    ...Object.keys(KUBE_FOLDERS).map(kubeFolderRule),
    importRule(
      ['src/filter/jq/**/*.ts'],
      [{ regex: '^(?:\\.\\./)(?!\\.\\./lib/)', message: 'src/filter/jq may import only lib' }],
    ),
    importRule(
      SHARED_FILES.map((file) => `src/${file}.ts`),
      [
        {
          regex: '^\\./(?!lib/|errors\\.ts$|log\\.ts$|metrics\\.ts$)',
          message: 'errors, log and metrics may import only lib',
        },
      ],
    ),
    {
      files: ['test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
      rules: {
        'max-lines-per-function': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
        'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      },
    },
    {
      files: [
        'src/lib/**/*.ts',
        'src/sandbox/until.ts',
        'test/**/*.ts',
        'bench/**/*.ts',
        'scripts/**/*.ts',
        'examples/**/*.ts',
        'frameworks/**/*.ts',
        'hooks/**/*.ts',
      ],
      rules: { 'promise/avoid-new': 'off', 'no-restricted-properties': 'off' },
    },
  ],
});

function roomRule(room: string): Override {
  return importRule([`src/${room}/**/*.ts`], [roomPattern(room)], room === 'lib' ? [] : ENDLESS_WAITS);
}

function roomPattern(room: string): Pattern {
  const allowed = ROOMS[room] ?? [];
  const refused = (names: readonly string[]): string =>
    names.filter((name) => name !== room && !allowed.includes(name)).join('|');
  return {
    regex: `^\\.\\.?/(?:\\.\\./)*(?:(?:${refused(Object.keys(ROOMS))})/|(?:${refused(['main', ...SHARED_FILES])})\\.ts$)`,
    message: `src/${room} may import only: ${allowed.join(', ') || 'nothing of ours'}`,
  };
}

function kubeFolderRule(folder: string): Override {
  const allowed = KUBE_FOLDERS[folder] ?? [];
  const refused = Object.keys(KUBE_FOLDERS).filter((name) => name !== folder && !allowed.includes(name));
  // Of two rules for a file the later one counts, so this one holds that of the room as well.
  return importRule(
    [`src/kube/${folder}/**/*.ts`],
    [
      roomPattern('kube'),
      {
        regex: `^\\.\\./(?:(?:${refused.join('|')})/${folder === 'http' ? '|[^/]+$' : ''})`,
        message: `src/kube/${folder} may import of src/kube only: ${allowed.join(', ') || 'nothing'}`,
      },
    ],
  );
}

function importRule(
  files: readonly string[],
  patterns: readonly Pattern[],
  paths: readonly EndlessWait[] = ENDLESS_WAITS,
): Override {
  return {
    files: [...files],
    rules: { 'no-restricted-imports': ['error', { paths: [...paths], patterns: [...patterns] }] },
  };
}
