import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { isProof, tally } from '../support/proof.ts'
import { tempDir } from '../support/temp-dir.ts'
import { launcher, root } from '../support/weave-command.ts'

const hanks = join(root, 'test/fixtures/hanks')
const inputs = isProof ? 200 : 6

/** What somebody might put in place of any value of a hank. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    '$(touch owned)',
    '`touch owned`; touch owned',
    '/etc/passwd',
    '../../../etc/passwd',
    '\0',
    '<%= process.exit(9) %>',
    '__proto__',
    -1,
    1e308,
    null,
    [],
    {},
    true,
    'x'.repeat(100_000),
    JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`),
    [{ type: 'command', command: { run: 'touch owned' } }],
  ),
  fc.jsonValue(),
)

type Change = (text: string) => string

const spoiled = fc.record({ at: fc.nat(), how: fc.constantFrom('cut', 'flip', 'repeat') }).map(
  ({ at, how }): Change =>
    text => {
      const place = at % text.length
      if (how === 'cut') return text.slice(0, place)
      if (how === 'repeat') return text.slice(0, place) + text.slice(Math.floor(place / 2))
      return `${text.slice(0, place)}${String.fromCharCode(text.charCodeAt(place) ^ 1)}${text.slice(place + 1)}`
    },
)
const replaced = fc.tuple(fc.nat(), hostile).map(
  ([at, value]): Change =>
    text =>
      JSON.stringify(withValue(JSON.parse(text), at, value)),
)

const input = fc.tuple(
  fc.constantFrom(...readdirSync(hanks).toSorted()),
  fc.oneof({ weight: 1, arbitrary: spoiled }, { weight: 4, arbitrary: replaced }),
)

/** The same with another value in one of its places. */
function withValue(value: unknown, at: number, other: unknown): unknown {
  const places: (() => void)[] = []
  const copy = structuredClone(value)
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const key of Object.keys(node)) {
      places.push(() => void Reflect.set(node, key, other))
      visit(Reflect.get(node, key))
    }
  }
  visit(copy)
  places[at % places.length]?.()
  return copy
}

/** Every file with what it holds. */
function contentsOf(dir: string): Readonly<Record<string, string>> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'latin1'),
    ]),
  )
}

/** The programs that were started and the addresses that were called, by the command and all that comes of it. */
async function watched(cwd: string, env: Readonly<Record<string, string>>, trace: string) {
  const words = ['-f', '-qq', '-e', 'trace=execve,connect', '-e', 'signal=none', '-o', trace]
  const command = [process.execPath, launcher, '--validate', 'hank.json']
  const child = spawn('strace', [...words, ...command], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const began = performance.now()
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  const calls = readFileSync(trace, 'utf8')
  return {
    status,
    stderr,
    milliseconds: performance.now() - began,
    started: calls.match(/ execve\(.*= 0$/gm)?.length ?? 0,
    called: calls.match(/ connect\(.*AF_INET/gm)?.length ?? 0,
  }
}

verifies(
  ['safety/I20'],
  'whatever a hank says, checking it starts nothing, writes nothing but $schema, and asks nobody while something is wrong',
  async () => {
    let asked = 0
    const provider = createServer((_request, response) => {
      asked++
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":8}')
    })
    await new Promise<void>(resolve => void provider.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void provider.close())
    const { port } = provider.address() as AddressInfo
    const home = await tempDir()
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      ANTHROPIC_API_KEY: 'a-key-for-nobody',
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    }
    // As it is, a hank makes the command ask: so the watch sees what it must not see below.
    const good = await tempDir()
    cpSync(join(hanks, 'research-brief'), good, { recursive: true })
    const watch = await watched(good, env, join(home, 'trace'))
    expect(watch).toMatchObject({ status: 0, started: 1, called: asked })
    expect(asked).toBeGreaterThan(0)

    for (const [name, change] of fc.sample(input, inputs)) {
      const dir = await tempDir()
      cpSync(join(hanks, name), dir, { recursive: true })
      const file = join(dir, 'hank.json')
      writeFileSync(file, change(readFileSync(file, 'utf8')))
      const before = contentsOf(dir)
      asked = 0
      const seen = await watched(dir, env, join(home, 'trace'))
      const what = `${name}: ${before[file]?.slice(0, 2_000)}`
      expect([0, 1], `${what}\n${seen.stderr}`).toContain(seen.status)
      expect(seen.stderr, what).not.toMatch(/^\s+at .*:\d+:\d+/m)
      expect(seen.started, what).toBe(1)
      if (seen.status === 1) expect([asked, seen.called], what).toEqual([0, 0])
      const { [file]: text, ...rest } = contentsOf(dir)
      const { [file]: given, ...others } = before
      expect(rest, what).toEqual(others)
      if (text !== given) {
        const { $schema: _, ...now } = JSON.parse(text ?? '') as Record<string, unknown>
        expect(now, what).toEqual(JSON.parse(given ?? ''))
      }
      expect(readdirSync(home)).toEqual(['trace'])
    }
    tally('inputs checked', inputs)
  },
  inputs * 10_000,
)
