import { defineConfig, type OxlintConfig } from 'oxlint';

interface Pattern {
  readonly regex: string;
  readonly message: string;
}

type Override = NonNullable<OxlintConfig['overrides']>[number];

/** The files beside the rooms that every room above `lib` and `crontab` may import. */
export const SHARED_FILES = ['errors', 'log', 'metrics'];

/** The folders that each of these files may import. */
export const SHARED_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  errors: ['lib'],
  log: ['lib'],
  metrics: ['lib', 'metric-families'],
};

const BASE = ['hook', 'crontab', 'lib', ...SHARED_FILES];
const HOUSE = ['sources', 'state', 'runner', 'effects', 'server', 'queue', 'kube', 'filter', ...BASE];

/** What each room of `src` may import; what is not in its list the linter refuses. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  crontab: ['lib'],
  'metric-families': ['lib'],
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
  rights: ['effects', 'kube', ...BASE],
  scenario: ['operator', 'units', 'run', 'sdk', ...HOUSE],
  cli: ['scenario', 'rights', 'operator', 'units', 'run', 'sdk', ...HOUSE],
  testing: ['cli', 'scenario', 'operator', 'units', 'run', ...HOUSE],
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

/** The packages, with the rooms of `src` that may import each, always by its name. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  jq: ['filter', 'scenario', 'cli'],
  sandbox: ['scenario', 'cli', 'testing'],
  'test-kubelet': [],
  'create-hooklet': [],
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

// Doors that only tests have.
const FOR_TESTS = '^@hooklet/[^/]+/(?:testing|conformance)$';

// How deep the folders of a package are.
const DEPTHS = [1, 2, 3];

const TEST_KUBELET = 'test-kubelet';
const KUBELET_ROOMS = ['kube', 'lib'];

const BY_NAME: Pattern = {
  regex: '^(?:\\.\\./)+packages/',
  message: 'a package is imported by its name, through one of its doors',
};

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
    importRule(['src/main.ts'], packagePatterns('main')),
    ...SHARED_FILES.map(sharedFileRule),
    importRule(['test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'], [BY_NAME], []),
    ...Object.keys(PACKAGES)
      .filter((name) => name !== TEST_KUBELET)
      .flatMap(packageRules),
    kubeletRule('src', ['test']),
    kubeletRule('test', []),
    {
      files: [
        'test/**/*.ts',
        'packages/*/test/**/*.ts',
        'packages/test-kubelet/**/*.ts',
        'bench/**/*.ts',
        'scripts/**/*.ts',
      ],
      rules: {
        'max-lines-per-function': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
        'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      },
    },
    {
      files: [
        'src/lib/**/*.ts',
        'packages/sandbox/src/until.ts',
        'test/**/*.ts',
        'packages/*/test/**/*.ts',
        'packages/test-kubelet/**/*.ts',
        'bench/**/*.ts',
        'scripts/**/*.ts',
        'examples/**/*.ts',
        'solutions/**/*.ts',
        'frameworks/**/*.ts',
        'hooks/**/*.ts',
      ],
      rules: { 'promise/avoid-new': 'off', 'no-restricted-properties': 'off' },
    },
  ],
});

function roomRule(room: string): Override {
  const patterns = [roomPattern(room), ...packagePatterns(room)];
  return importRule([`src/${room}/**/*.ts`], patterns, room === 'lib' ? [] : ENDLESS_WAITS);
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

function sharedFileRule(file: string): Override {
  const allowed = SHARED_IMPORTS[file] ?? [];
  const refused = Object.keys(ROOMS).filter((room) => !allowed.includes(room));
  return importRule(
    [`src/${file}.ts`],
    [
      {
        regex: `^\\./(?:main\\.ts$|(?:${refused.join('|')})/)`,
        message: `src/${file}.ts may import only: ${allowed.join(', ')}`,
      },
      ...packagePatterns(file),
    ],
  );
}

function kubeFolderRule(folder: string): Override {
  const allowed = KUBE_FOLDERS[folder] ?? [];
  const refused = Object.keys(KUBE_FOLDERS).filter((name) => name !== folder && !allowed.includes(name));
  // Of two rules for a file the later one counts, so this one holds that of the room as well.
  return importRule(
    [`src/kube/${folder}/**/*.ts`],
    [
      roomPattern('kube'),
      ...packagePatterns('kube'),
      {
        regex: `^\\.\\./(?:(?:${refused.join('|')})/${folder === 'http' ? '|[^/]+$' : ''})`,
        message: `src/kube/${folder} may import of src/kube only: ${allowed.join(', ') || 'nothing'}`,
      },
    ],
  );
}

/** What a room must not import of the packages: those that are for others, doors for tests, and files past the doors. */
function packagePatterns(room: string): readonly Pattern[] {
  const names = Object.keys(PACKAGES);
  const allowed = names.filter((name) => PACKAGES[name]?.includes(room));
  const refused = names.filter((name) => !allowed.includes(name));
  return [
    {
      regex: [FOR_TESTS, ...refused.map(anyDoorOf)].join('|'),
      message: `of the packages ${room} may import only: ${allowed.join(', ') || 'none'}`,
    },
    BY_NAME,
  ];
}

/** A package imports nothing from outside its folder: nothing of hooklet, and no other package. */
function packageRules(name: string): readonly Override[] {
  const others = Object.keys(PACKAGES).filter((other) => other !== name);
  const refused = ['^hooklet$', ...others.map(anyDoorOf)];
  const message = `packages/${name} may import nothing of hooklet, and no other package`;
  return ['src', 'test'].flatMap((part) =>
    DEPTHS.map((depth) =>
      importRule(
        [`packages/${name}/${part}/${'*/'.repeat(depth - 1)}*.ts`],
        [{ regex: [`^(?:\\.\\./){${depth + 1}}`, ...refused].join('|'), message }],
        part === 'src' ? ENDLESS_WAITS : [],
      ),
    ),
  );
}

/** The kubelet for tests uses hooklet's client, and its tests the rigs of the cluster suite. */
function kubeletRule(part: string, folders: readonly string[]): Override {
  const rooms = Object.keys(ROOMS).filter((room) => !KUBELET_ROOMS.includes(room));
  const refused = [...rooms.map((room) => `src/${room}`), 'bench', 'scripts', ...folders].join('|');
  return importRule(
    [`packages/${TEST_KUBELET}/${part}/*.ts`],
    [
      {
        regex: `^(?:\\.\\./){3}(?:${refused})/|^(?:\\.\\./){2}[a-z]|^@?hooklet(?:/|$)`,
        message: `packages/${TEST_KUBELET} may import of hooklet only: ${KUBELET_ROOMS.join(', ')}, errors`,
      },
    ],
    [],
  );
}

function anyDoorOf(name: string): string {
  return `^@hooklet/${name}(?:/|$)`;
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
