import { describe, expect, it } from 'vitest'
import { findDeadReferences } from '../../scripts/docs.mjs'
import { readRepository, readRules } from '../../scripts/repository.mjs'
import { filesOf, shown } from './repo-fixture.ts'

const rules = readRules()

it('no page of the repository leads nowhere', () => {
  expect(shown(findDeadReferences(readRepository(), rules))).toEqual([])
})

const around = {
  'packages/runtime/src/runner/control.ts': '',
  'scripts/check.mjs': '',
  'docs/map.md': '# The map\n\n## What `kit` is for\n\n## Doors\n\n## Doors\n',
}

describe('what leads nowhere is caught', () => {
  it.each([
    ['a path from the root', 'See\n`scripts/gone.mjs`.', ':2 names `scripts/gone.mjs`'],
    ['a folder', 'In `packages/engine/`.', ':1 names `packages/engine/`'],
    ['the end of a path', '`runner/command.ts`', ':1 names `runner/command.ts`'],
    ['a bare file name', '`decide.ts`', ':1 names `decide.ts`'],
    ['a path with a line', '`scripts/gone.mjs:12`', ':1 names `scripts/gone.mjs:12`'],
    ['a pattern without a match', '`test/*.ts`', ':1 names `test/*.ts`'],
    ['a link', '[the map](docs/maps.md)', ':1 links to docs/maps.md, which does not exist'],
    ['a link by definition', '[map]\n\n[map]: docs/maps.md', ':3 links to docs/maps.md'],
    ['an image', '![picture](docs/picture.svg)', ':1 links to docs/picture.svg'],
    [
      'an anchor',
      '[doors](docs/map.md#windows)',
      ':1 links to docs/map.md#windows, but docs/map.md has no heading',
    ],
    [
      'an anchor of the same page',
      '# Top\n[up](#bottom)',
      ':2 links to #bottom, but README.md has no heading',
    ],
  ])('%s', (_what, page, problem) => {
    const found = shown(findDeadReferences(filesOf({ ...around, 'README.md': page }), rules))
    expect(found).toEqual([expect.stringContaining(`README.md${problem}`)])
  })
})

it('looks at the pages of packages and examples, not at prompts and fixtures', () => {
  const page = '`scripts/gone.mjs`'
  const pages = ['docs/a/b.md', 'examples/01-one/README.md', 'packages/client/README.md']
  const others = ['examples/01-one/prompt.md', 'packages/runtime/test/fixtures/a.md', 'test/fixtures/a.md']
  const fixture = Object.fromEntries([...pages, ...others].map(path => [path, page]))
  const found = findDeadReferences(filesOf({ ...around, ...fixture }), rules)
  expect(found.map(({ path }) => path)).toEqual(pages)
})

it('takes a file name in an example for something that the run writes', () => {
  const files = { ...around, 'examples/01-one/README.md': 'It writes `greeting.md`; see `docs/gone.md`.' }
  expect(shown(findDeadReferences(filesOf(files), rules))).toEqual([
    expect.stringContaining('`docs/gone.md`'),
  ])
})

describe('what is there is left alone', () => {
  it.each([
    ['a path from the root', '`scripts/check.mjs`'],
    ['a folder', '`packages/runtime/` and `packages/runtime`'],
    ['the end of a path', '`runner/control.ts`'],
    ['a bare file name', '`control.ts`'],
    ['a path with a line', '`scripts/check.mjs:12`'],
    ['patterns', '`packages/*/src/runner/{control,decide}.ts` and `packages/<name>/src`'],
    ['files of a user', '`hank.json`, `.weave/state.json`, `/etc/hosts.json`, `~/x.ts`, `a/b/hank.json`'],
    ['words and code', '`codon.start`, `a/b`, `npm run check`, `@weave/protocol`, `...`, `z.object({})`'],
    ['what is built', '`packages/cli/dist/weave.cjs`, `node_modules/x/y.json`'],
    ['fenced code', '```\n`scripts/gone.mjs`\n[x](gone.md)\n```'],
    ['links', '[a](docs/map.md) [b](./docs/) [c](https://example.org/x.md#y) [d](mailto:a@example.org)'],
    ['anchors', '# My page\n[a](#my-page) [b](docs/map.md#what-kit-is-for) [c](docs/map.md#doors-1)'],
  ])('%s', (_what, page) => {
    expect(shown(findDeadReferences(filesOf({ ...around, 'README.md': page }), rules))).toEqual([])
  })
})
