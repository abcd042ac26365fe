import type { RepoFixture } from './repo-fixture.ts'

/** One small repository for each rule, with exactly one thing wrong, and what the guard has to say about it. */
interface LayerFixture {
  readonly rule: string
  readonly files: RepoFixture
  readonly caught: RegExp
}

const runtime = 'packages/runtime/src'
const door = {
  [`${runtime}/kit/index.ts`]: '',
  [`${runtime}/journal/index.ts`]: '',
  [`${runtime}/hank/index.ts`]: '',
}

export const layerFixtures: readonly LayerFixture[] = [
  {
    rule: 'a workspace imports one that is not in its row',
    files: { 'packages/web/src/app.ts': "import { open } from '@weave/runtime'" },
    caught: /^packages\/web\/src\/app\.ts:1 imports runtime; web may import: protocol, client/,
  },
  {
    rule: 'a room imports one that is not in its row',
    files: { ...door, [`${runtime}/kit/clock.ts`]: "import { append } from '../journal/index.ts'" },
    caught: /kit\/clock\.ts:1 imports journal; kit may import: nothing/,
  },
  {
    rule: 'kit imports the protocol',
    files: { ...door, [`${runtime}/kit/clock.ts`]: "import type { ServerEvent } from '@weave/protocol'" },
    caught: /imports protocol; kit may import: nothing/,
  },
  {
    rule: 'a type-only import counts',
    files: { ...door, [`${runtime}/journal/a.ts`]: "import type { Hank } from '../hank/index.ts'" },
    caught: /journal\/a\.ts:1 imports hank/,
  },
  {
    rule: 'an inline type import counts',
    files: { ...door, [`${runtime}/journal/a.ts`]: "\nexport type A = import('../hank/index.ts').Hank" },
    caught: /journal\/a\.ts:2 imports hank/,
  },
  {
    rule: 'typeof import counts',
    files: { ...door, [`${runtime}/journal/a.ts`]: "export type A = typeof import('../hank/index.ts')" },
    caught: /journal\/a\.ts:1 imports hank/,
  },
  {
    rule: 'a dynamic import counts',
    files: { ...door, [`${runtime}/journal/a.ts`]: "const hank = await import('../hank/index.ts')" },
    caught: /journal\/a\.ts:1 imports hank/,
  },
  {
    rule: 'an import over several lines, with comments and look-alikes around it',
    files: {
      ...door,
      [`${runtime}/journal/a.ts`]: [
        "// import { a } from '../models/index.ts'",
        "const text = `import { b } from '../plan/index.ts'`",
        'import {',
        '  c, /* one */',
        '  type D,',
        "} from '../hank/index.ts'",
      ].join('\n'),
    },
    caught: /journal\/a\.ts:3 imports hank/,
  },
  {
    rule: 'a re-export counts',
    files: { ...door, [`${runtime}/journal/a.ts`]: "export { hank } from '../hank/index.ts'" },
    caught: /journal\/a\.ts:1 imports hank/,
  },
  {
    rule: 'a side-effect import counts',
    files: { ...door, [`${runtime}/journal/a.ts`]: "import '../hank/index.ts'" },
    caught: /journal\/a\.ts:1 imports hank/,
  },
  {
    rule: 'a value where only types are open',
    files: { ...door, [`${runtime}/effects/index.ts`]: "import { load } from '../hank/index.ts'" },
    caught: /imports hank\/index\.ts; effects may import: .*\(only type hank is open to it\)/,
  },
  {
    rule: 'the server goes round the control of the runner',
    files: {
      [`${runtime}/runner/index.ts`]: '',
      [`${runtime}/runner/control.ts`]: '',
      [`${runtime}/server/index.ts`]: "import '../runner/control.ts'\nimport '../runner/index.ts'",
    },
    caught: /server\/index\.ts:2 imports runner\/index\.ts; .*\(only runner\/control\.ts is open to it\)/,
  },
  {
    rule: 'an import past a door',
    files: { ...door, [`${runtime}/journal/a.ts`]: "import { sleep } from '../kit/clock.ts'" },
    caught: /journal\/a\.ts:1 imports kit\/clock\.ts past its door; use kit\/index\.ts/,
  },
  {
    rule: 'the room that wires the others goes through their doors too',
    files: { ...door, [`${runtime}/execution/index.ts`]: "import { recent } from '../journal/history.ts'" },
    caught: /execution\/index\.ts:1 imports journal\/history\.ts past its door/,
  },
  {
    rule: 'a file imports the door of its own room',
    files: { ...door, [`${runtime}/journal/a.ts`]: "import { append } from './index.ts'" },
    caught: /journal\/a\.ts:1 imports its own door/,
  },
  {
    rule: 'a file imports its own workspace by name',
    files: { 'packages/protocol/src/a.ts': "import { events } from '@weave/protocol'" },
    caught: /protocol\/src\/a\.ts:1 imports its own door/,
  },
  {
    rule: 'an import of what a workspace does not export',
    files: { 'packages/cli/src/a.ts': "import { open } from '@weave/runtime/app'" },
    caught: /imports @weave\/runtime\/app, which runtime\/package\.json does not export/,
  },
  {
    rule: 'a relative import into another package',
    files: { 'packages/cli/src/a.ts': "import { open } from '../../runtime/src/app.ts'" },
    caught: /reaches out of packages\/cli by the relative path/,
  },
  {
    rule: 'a relative import into another package from a test',
    files: { 'packages/cli/test/a.test.ts': "import { open } from '../../runtime/src/app.ts'" },
    caught: /reaches out of packages\/cli by the relative path/,
  },
  {
    rule: 'a room that nobody planned',
    files: { [`${runtime}/engine/index.ts`]: '' },
    caught: /lives in engine, which layers\.json does not list/,
  },
  {
    rule: 'a room without a door',
    files: { [`${runtime}/journal/history.ts`]: '' },
    caught: /journal\/index\.ts:1 is missing/,
  },
  ...['(decisions 9)', 'Specification 2.11: so', 'as spec 3 says', 'see architecture.md'].map(words => ({
    rule: `a comment that cites what is not there: ${words}`,
    files: { 'packages/cli/src/a.ts': `const quoted = 'decisions 9'\n/**\n * ${words}\n */` },
    caught: /cli\/src\/a\.ts:3 cites "/,
  })),
  {
    rule: 'a package that a room may not use',
    files: { ...door, [`${runtime}/kit/socket.ts`]: "import { WebSocket } from 'ws'" },
    caught: /imports the package ws; kit may use: ignore/,
  },
  {
    rule: 'a package that a workspace may not use',
    files: { 'packages/client/src/a.ts': "import WebSocket from 'ws'" },
    caught: /imports the package ws; client may use: diff/,
  },
  {
    rule: 'export *',
    files: { 'packages/protocol/src/index.ts': "\nexport * from './events.ts'" },
    caught: /protocol\/src\/index\.ts:2 has export \*/,
  },
  {
    rule: 'an import cycle, types included',
    files: {
      'packages/protocol/src/a.ts': "import { b } from './b.ts'",
      'packages/protocol/src/b.ts': "import { c } from './c.ts'",
      'packages/protocol/src/c.ts': "\nimport type { A } from './a.ts'",
    },
    caught: /a\.ts:1 is in an import cycle: \S+\/a\.ts → \S+\/b\.ts → \S+\/c\.ts → \S+\/a\.ts\.$/,
  },
  {
    rule: 'node: in a workspace that runs in browsers',
    files: { 'packages/client/src/a.ts': "import { readFile } from 'node:fs/promises'" },
    caught: /imports node:fs\/promises; client also runs in browsers/,
  },
  {
    rule: 'a bare builtin in a workspace that runs in browsers',
    files: { 'packages/protocol/src/a.ts': "import path from 'path'" },
    caught: /imports path; protocol also runs in browsers/,
  },
  {
    rule: 'a reference to the types of Node in a workspace that runs in browsers',
    files: { 'packages/web/src/a.ts': '/// <reference types="node" />' },
    caught: /web\/src\/a\.ts:1 asks for the types of Node/,
  },
  {
    rule: 'the types of Node in the tsconfig of a workspace that runs in browsers',
    files: { 'packages/client/tsconfig.json': '{ "compilerOptions": { "types": ["node"] } }' },
    caught: /client\/tsconfig\.json:1 lets the types of Node in/,
  },
  {
    rule: 'the types of Node through the tsconfig that it extends',
    files: {
      'packages/client/tsconfig.json': '{ "extends": "../../tsconfig.base.json" }',
      'tsconfig.base.json': '{ "compilerOptions": { "types": ["node"] } }',
    },
    caught: /client\/tsconfig\.json:1 lets the types of Node in/,
  },
  {
    rule: '@types/node as a dependency of a workspace that runs in browsers',
    files: {
      'packages/web/package.json': '{ "name": "w",\n"devDependencies": { "@types/node": "1" } }',
    },
    caught: /web\/package\.json:2 depends on @types\/node/,
  },
  {
    rule: 'a file with a name that says nothing',
    files: { [`${runtime}/journal/utils.ts`]: '', ...door },
    caught: /is called "utils"/,
  },
  {
    rule: 'a folder with a name that says nothing',
    files: { 'test/helpers/wait.ts': '' },
    caught: /is called "helpers"/,
  },
  {
    rule: 'a manager',
    files: { 'packages/cli/src/session-manager.ts': '' },
    caught: /is called "session-manager"/,
  },
  {
    rule: 'a file over the cap',
    files: { 'packages/cli/src/long.ts': 'x\n'.repeat(401) },
    caught: /has 401 lines; the cap is 400/,
  },
  ...['(x: any) => x', 'x as any', 'a<any>()', 'let x: any[]', 'type T = string | any', 'type T = any'].map(
    text => ({
      rule: `the type any in ${text}`,
      files: { 'packages/cli/src/a.ts': `// any\nconst any = 'any';\n${text}\n` },
      caught: /cli\/src\/a\.ts:3 has the type any/,
    }),
  ),
  ...[
    'biome-ignore',
    'eslint-disable',
    'oxlint-disable',
    '@ts-ignore',
    '@ts-nocheck',
    '@ts-expect-error',
  ].map(word => ({
    rule: `${word} in a source file`,
    files: { 'packages/cli/src/a.ts': `const quoted = '// ${word}'\n/* ${word} */` },
    caught: new RegExp(`cli/src/a\\.ts:2 switches a rule off with ${word}`),
  })),
  {
    rule: 'a disabled rule in a test, where only @ts-expect-error is open',
    files: { 'packages/cli/test/a.test.ts': '// @ts-expect-error: wrong on purpose\n// @ts-ignore' },
    caught: /a\.test\.ts:2 switches a rule off with @ts-ignore/,
  },
  {
    rule: 'a lint rule that is off without a reason',
    files: {
      'packages/cli/biome.json': '{ "linter": { "rules": {\n"suspicious": { "noVar": "off" } } } }',
    },
    caught: /cli\/biome\.json:2 switches off suspicious\/noVar/,
  },
  {
    rule: 'a linter that is off as a whole',
    files: { 'packages/cli/biome.json': '{ "linter": { "enabled": false } }' },
    caught: /switches off enabled/,
  },
  {
    rule: 'a lint rule that is off in more places than it was excused for',
    files: {
      'packages/cli/.oxlintrc.json':
        '{ "overrides": [{ "files": ["src/**"], "rules": { "no-control-regex": ["off"] } }] }',
    },
    caught: /switches off no-control-regex/,
  },
  {
    rule: 'an excuse for a lint rule that is not off',
    files: { '.oxlintrc.json': '{ "rules": { "no-control-regex": "off" } }' },
    caught: /layers\.json:1 excuses typescript\/unbound-method, which is not off/,
  },
  ...[
    ['', 'work', 'main'],
    ['', 'root', 'x'],
    ['', 'home', 'alice', 'weave'],
    ['', 'Users', 'alice'],
  ].map(parts => ({
    rule: `the machine path ${parts.join('/')}`,
    files: { 'docs/setup.md': `In /home/user/weave\nor in ${parts.join('/')}.` },
    caught: /docs\/setup\.md:2 names a path of somebody's machine/,
  })),
]
