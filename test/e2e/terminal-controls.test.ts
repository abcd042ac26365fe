import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { type CliResult, launcher, runCli } from '../support/run-cli.ts'
import type { Surrounding } from '../support/scripted-program.ts'

/** What text from outside may try with a terminal; each is fit for a file name. */
const controls = {
  clipboard: '\x1b]52;c;ZXZpbA==\x07',
  title: '\x1b]0;owned\x1b\\',
  link: '\x1b]8;;http:x\x07',
  clear: '\x1b[2J',
  query: '\x1b[6n',
  device: '\x1bP1$r0m\x1b\\',
  reset: '\x1bc',
  c1: '\x9b2J',
  'c1-string': '\x9d0;owned\x9c',
  editing: '\r\b\x7f\x07',
  reordering: '\u202e\u2066\u200b',
} as const
const hostile = Object.values(controls).join('')
const forbidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** What Node writes around a question, to place the cursor. */
const cursor = /\x1b\[(?:\d+G|0J)/g

const codon = (id: string, more: object = {}) => ({
  id,
  name: `Name ${hostile}`,
  description: `About ${hostile}`,
  model: 'openai/gpt-5',
  continuationMode: 'fresh',
  promptText: 'Do it.',
  checkpointedFiles: ['**'],
  ...more,
})

/** A hank whose names, files, output links and provider all say the same hostile thing; its second codon fails. */
function place(folder: string): Surrounding {
  const cwd = join(folder, `dir${controls.clipboard}`)
  mkdirSync(cwd)
  const hank = {
    $schema: 'x',
    meta: { name: `Hank ${hostile}`, version: '1.0.0', description: `Hank ${hostile}` },
    hank: [codon('first'), codon('second', { outputFiles: [{ copy: ['out/**'] }] })],
  }
  const make = `mkdir -p out && printf 'x' > ${quoted(`f${hostile}`)} && ln -s /etc/passwd ${quoted(`out/${hostile}`)}`
  const script = {
    codons: {
      first: [{ use: 'bash', input: { command: make } }, { say: `Said ${hostile}` }],
      second: [{ say: hostile }],
    },
  }
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify(hank))
  writeFileSync(join(cwd, 'rehearsal.json'), JSON.stringify(script))
  writeFileSync(
    join(cwd, 'failing.json'),
    JSON.stringify({ codons: { first: [{ fail: { status: 400, message: `Refused ${hostile}` } }] } }),
  )
  return { cwd, env: { HOME: join(cwd, 'home'), LANG: 'C.UTF-8' } }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function expectClean({ stdout, stderr }: CliResult, words: readonly string[]): void {
  for (const [name, text] of Object.entries({ stdout, stderr }))
    expect(forbidden.exec(text)?.[0].codePointAt(0)?.toString(16), `${name} of ${words.join(' ')}`).toBe(
      undefined,
    )
}

/** All that a command writes to a terminal, byte by byte. */
function onTerminal(words: readonly string[], { cwd, env }: Surrounding): string {
  const file = join(cwd, 'typescript')
  const command = [process.execPath, launcher, ...words].map(quoted).join(' ')
  const { error } = spawnSync('script', ['-qfec', command, file], {
    cwd,
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
    input: 'n\n',
    timeout: 60_000,
  })
  expect(error).toBe(undefined)
  return readFileSync(file, 'utf8')
}

describe('control characters from names, files, links and providers', () => {
  let at: Surrounding
  let failed: CliResult
  const folder = mkdtempSync(join(tmpdir(), 'weave-test-'))
  beforeAll(() => {
    at = place(folder)
    failed = runCli(['rehearse', '--headless', '--port', '0'], at)
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const executionsOf = () => join(at.cwd, 'home/.weave-executions')
  const execution = () => join(executionsOf(), readdirSync(executionsOf())[0] ?? '')

  verifies(
    ['attack/terminal-controls'],
    'are spelled out in the lines and the last words of a run',
    () => {
      expect(failed.status).toBe(1)
      expectClean(failed, ['rehearse'])
      expect(failed.stderr).toMatch(/The hank failed: .*\\u\{1b\}\]52;c;ZXZpbA==\\u\{7\}/)
      const refused = runCli(['rehearse', '--headless', '--port', '0', '-n', '--script', 'failing.json'], at)
      expect(refused.status).toBe(1)
      expectClean(refused, ['rehearse', '--script'])
      expect(refused.stderr).toMatch(/The hank failed: .*Refused \\u\{1b\}\]52/)
    },
    60_000,
  )

  verifies(
    ['attack/terminal-controls'],
    'are spelled out by every command',
    () => {
      const many: readonly (readonly string[])[] = [
        ['list'],
        ['journal', execution()],
        ['checkpoints', execution()],
        ['diff', '-e', execution(), 'first:start'],
        ['diff', '-e', execution(), '--stat', 'first:start'],
        ['diff', '-e', execution(), '--name-only', 'first:start'],
        ['rollback', '-e', execution(), '--preview', 'first:start'],
        ['rollback', '-e', execution(), 'first:start'],
        ['gc'],
        ['report', '--costs', execution()],
        ['report', '--costs', '--csv', execution()],
        ['doctor'],
        ['validate', '--verbose'],
        ['--validate', '--skip-self-test'],
        ['rehearse', '--headless', '--port', '0', '-n', '--script', `no${hostile}.json`],
        [`no${hostile}`],
        [`--no${hostile}`],
        ['journal', `no${hostile}`],
        ['diff', '-e', execution(), `no${hostile}`],
        ['attach', execution()],
      ]
      for (const words of many) {
        const result = runCli(words, at)
        const csv = words.includes('--csv')
        expectClean(csv ? { ...result, stdout: result.stdout.replaceAll('\r\n', '\n') } : result, words)
        expect(`${result.stdout}${result.stderr}`, words.join(' ')).not.toBe('')
      }
      expect(runCli(['list'], at).stdout).toContain('\\u{1b}]52;c;ZXZpbA==\\u{7}')
    },
    120_000,
  )

  verifies(
    ['attack/terminal-controls'],
    'are escaped in JSON, which says the same',
    () => {
      const rows = runCli(['list', '--json'], at)
      expectClean(rows, ['list', '--json'])
      expect(JSON.parse(rows.stdout)).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ hank: `Hank ${hostile}` })]),
      )
      const events = runCli(['journal', '--json', execution()], at)
      expectClean(events, ['journal', '--json'])
      const parsed = events.stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as object)
      expect(JSON.stringify(parsed)).toContain(JSON.stringify(`Said ${hostile}`))
      const verdict = runCli(['--validate', '--json', '--skip-self-test'], at)
      expectClean(verdict, ['--validate', '--json'])
      expect(verdict.stdout).toContain('ZXZpbA==')
    },
    60_000,
  )

  verifies(
    ['attack/terminal-controls'],
    'do not reach a terminal, nor with a question',
    () => {
      const commands: readonly (readonly string[])[] = [
        ['rehearse', '--port', '0', '-n', '--headless', '--script', 'failing.json'],
        ['list'],
        ['rollback', '-e', execution(), 'first:start'],
        ['--validate', '--skip-self-test'],
      ]
      for (const words of commands) {
        // The terminal itself ends lines with a carriage return; the first line is of `script` and has the command in it.
        const lines = onTerminal(words, at).replaceAll(/\r+\n/g, '\n').split('\n')
        const seen = lines.slice(1, -2).join('\n').replaceAll(cursor, '')
        expect(seen).not.toBe('')
        expect(Object.entries(controls).filter(([, text]) => seen.includes(text))).toEqual([])
        expect(forbidden.exec(seen)?.[0].codePointAt(0)?.toString(16), words.join(' ')).toBe(undefined)
      }
    },
    120_000,
  )
})
