import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { bundleProgram } from '../../scripts/bundle/program.mjs'

const folder = mkdtempSync(join(tmpdir(), 'weave-bundle-'))
const dist = join(folder, 'dist')

const sources = {
  'counter.ts': 'let count = 0\nexport function next() { return ++count }',
  'other.ts': "export { next } from './counter.ts'",
  'room/index.ts': `export { heavy } from './heavy.ts'\nexport { type Light, light as lightest } from './light.ts'\nexport { lighter } from './lighter.ts'`,
  'room/heavy.ts': "export const heavy = 'heavy'\nglobalThis.heavyIsLoaded = true",
  'room/light.ts': 'export interface Light { a: 1 }\nexport const light = () => 1',
  'room/lighter.ts': 'export const lighter = () => 3',
  'first.ts': `
import { heavy } from './room/index.ts'
import { next } from './counter.ts'
import { type Light, lightest as mine } from './room/index.ts'
    const of = (a: Light) => a
    export const first = () => [heavy, mine(), of({ a: 1 }).a, typeof next]`,
  'second.ts': `
import { lightest } from './room/index.ts'
    export const second = async () => [lightest(), (await import('./lazy.ts')).lazy]`,
  'third.ts': `
    export const third = async () => {
      const { lighter } = await import('./room/index.ts')
      return lighter()
    }`,
  'lazy.ts': "import { lightest } from './room/index.ts'\nexport const lazy = lightest() + 1",
  'large.ts': `export const large = '${'large '.repeat(10_000)}'.split(' ').length`,
  'main.ts': `
    declare const __WEAVE_VERSION__: string
    async function main() {
      if (process.env['WEAVE_TEST_GROWS']) {
        // As a run that keeps its heap small; the young generation grows until it is limited.
        (await import('node:v8')).setFlagsFromString('--heap-growing-percent=20')
        globalThis.kept = Array.from({ length: 1_000_000 }, (_, n) => ({ n }))
      }
      const counter = await import('./counter.ts')
      const other = await import('./other.ts')
      console.log(JSON.stringify({
        version: __WEAVE_VERSION__,
        counts: [counter.next(), other.next()],
        builtin: typeof (await import('node:path')).join,
        missing: await import('not-installed').catch(error => error.code),
        strict: (function () { return this === undefined })(),
        text: 'import("./counter.ts")',
        url: import.meta.url.startsWith('file:'),
        second: await (await import('./second.ts')).second(),
        third: await (await import('./third.ts')).third(),
        large: (await import('./large.ts')).large,
        heavyBefore: globalThis.heavyIsLoaded === true,
        first: (await import('./first.ts')).first(),
        heavyAfter: globalThis.heavyIsLoaded === true,
      }))
      // With --expose-gc and --stress-flush-code: as if much time had passed.
      globalThis.gc?.()
    }
    void main()`,
}

const expected = {
  version: '1.2.3',
  counts: [1, 2],
  builtin: 'function',
  missing: 'ERR_MODULE_NOT_FOUND',
  strict: true,
  text: 'import("./counter.ts")',
  url: true,
  second: [1, 2],
  third: 3,
  large: 10_001,
  heavyBefore: false,
  first: ['heavy', 1, 1, 'function'],
  heavyAfter: true,
}

beforeAll(async () => {
  mkdirSync(join(folder, 'room'))
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text)
  await build()
})

function build() {
  return bundleProgram({
    entry: join(folder, 'main.ts'),
    outdir: dist,
    name: 'program',
    external: ['not-installed'],
    define: { __WEAVE_VERSION__: '"1.2.3"' },
  })
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a bundled program runs the same without a code cache, with one, and with a broken one', () => {
  expect(start()).toEqual(expected)
  expect(caches().length).toBeGreaterThan(0)
  expect(start()).toEqual(expected)
  for (const cache of caches()) writeFileSync(cache, 'broken')
  expect(start()).toEqual(expected)
})

it('a code cache holds what runs once, also that of a process in which V8 threw it away meanwhile', () => {
  const short = cachedBytes()
  const long = cachedBytes('--expose-gc', '--stress-flush-code')
  expect(long / short).toBeGreaterThan(0.95)
})

it.each([
  ['whose program changed flags of V8', { environment: { WEAVE_TEST_GROWS: '1' } }],
  ['that was started with other flags of V8', { flags: ['--max-lazy'] }],
])('a code cache of a process %s is good for a start without, or not in its way', (_, unusual) => {
  rmSync(join(dist, 'cache'), { recursive: true, force: true })
  expect(start(unusual)).toEqual(expected)
  start()
  const times = () => caches().map(cache => `${cache} ${statSync(cache).mtimeMs}`)
  const before = times()
  start()
  // What V8 refuses is written anew.
  expect(times()).toEqual(before)
  if ('environment' in unusual) expect(readdirSync(join(dist, 'cache'))).toHaveLength(1)
})

it('a thread writes its code caches while it lives: it is ended without a word', async () => {
  rmSync(join(dist, 'cache'), { recursive: true, force: true })
  // The port keeps it alive, as one that waits for questions.
  const program = JSON.stringify(join(dist, 'program.cjs'))
  const words = `require('node:worker_threads').parentPort.on('message', () => {}); require(${program})`
  const thread = new Worker(words, { eval: true, stdout: true })
  try {
    await vi.waitFor(() => expect(caches().length).toBeGreaterThan(0), { timeout: 30_000 })
  } finally {
    await thread.terminate()
  }
})

function cachedBytes(...flags: readonly string[]): number {
  rmSync(join(dist, 'cache'), { recursive: true, force: true })
  expect(start({ flags })).toEqual(expected)
  return caches().reduce((sum, cache) => sum + statSync(cache).size, 0)
}

it('two builds never share a code cache, also where a chunk has the same name in both', async () => {
  const before = new Set(caches().map(cache => dirname(cache)))
  writeFileSync(
    join(folder, 'room/light.ts'),
    'export interface Light { a: 1 }\nexport const light = () => 2',
  )
  await build()
  expect(start()).toEqual({ ...expected, second: [2, 3], first: ['heavy', 2, 1, 'function'] })
  const after = caches().map(cache => dirname(cache))
  expect(after.length).toBeGreaterThan(0)
  expect(after.filter(cache => before.has(cache))).toEqual([])
})

it('a large chunk that is in no pack is stored compressed, and nowhere else', () => {
  const names = readdirSync(dist).filter(name => name.startsWith('large-'))
  expect(names.filter(name => !name.endsWith('.map'))).toEqual([expect.stringMatching(/\.cjs\.br$/)])
  expect(statSync(join(dist, String(names.find(name => name.endsWith('.br'))))).size).toBeLessThan(1_000)
})

it.each([
  "import * as room from './room/index.ts'\nconsole.log(room)",
  "import './room/index.ts'",
  "import { nothing } from './room/index.ts'\nconsole.log(nothing)",
  "const room = await import('./room/index.ts')\nconsole.log(room)",
  "const { heavy, lighter } = await import('./room/index.ts')\nconsole.log(heavy, lighter)",
])('an import that would load all that is behind a door fails the build: %s', async text => {
  const entry = join(folder, 'greedy.ts')
  writeFileSync(entry, text)
  const options = { entry, outdir: join(folder, 'greedy'), name: 'greedy', external: [], define: {} }
  await expect(bundleProgram(options)).rejects.toThrow('loads a whole room or package')
})

interface Start {
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

function start({ flags = [], environment = {} }: Start = {}): unknown {
  const words = [...flags, join(dist, 'program.cjs')]
  const env = { ...process.env, ...environment }
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

function caches(): readonly string[] {
  const all = existsSync(join(dist, 'cache'))
    ? readdirSync(join(dist, 'cache'), { recursive: true, encoding: 'utf8' })
    : []
  return all.filter(name => name.endsWith('.cjs')).map(name => join(dist, 'cache', name))
}
