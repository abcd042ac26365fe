import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon as codonOf, type HankFolder, hankFolderIn, jsonLines } from '../support/hank-folder.ts'
import type { Surrounding } from '../support/weave-command.ts'
import { type CliResult, launcher } from '../support/weave-command.ts'

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
/** The few codes for colours that are our own; nobody else's text has a whole one of them. */
const colours = /\x1b\[(?:1|2|22|3[1236]|39)m/g

const codon = (id: string, fields: object = {}) =>
  codonOf(id, {
    name: `Name ${hostile}`,
    description: `About ${hostile}`,
    model: 'openai/gpt-5',
    checkpointedFiles: ['**'],
    ...fields,
  })

/** A hank whose names, files, output links and provider all say the same hostile thing; its second codon fails. */
function place(folder: string): HankFolder {
  const make = `mkdir -p out && printf 'x' > ${quoted(`f${hostile}`)} && ln -s /etc/passwd ${quoted(`out/${hostile}`)}`
  const codons = { first: [bash(make), { say: `Said ${hostile}` }], second: [{ say: hostile }] }
  const refusal = { fail: { status: 400, message: `Refused ${hostile}` } }
  const hank = {
    meta: { name: `Hank ${hostile}`, version: '1.0.0', description: `Hank ${hostile}` },
    hank: [codon('first'), codon('second', { outputFiles: [{ copy: ['out/**'] }] })],
  }
  return hankFolderIn(join(folder, `dir${controls.clipboard}`), hank, {
    'rehearsal.json': { codons },
    'failing.json': { codons: { first: [refusal] } },
  }).with({ LANG: 'C.UTF-8' })
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
  let at: HankFolder
  let failed: CliResult
  const folder = mkdtempSync(join(tmpdir(), 'weave-test-'))
  beforeAll(() => {
    at = place(folder)
    failed = at.rehearse('--headless', '--port', '0')
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const execution = () => at.execution()

  verifies(
    ['attack/terminal-controls'],
    'are spelled out in the lines and the last words of a run',
    () => {
      expect(failed.status).toBe(1)
      expectClean(failed, ['rehearse'])
      expect(failed.stderr).toMatch(/The hank failed: .*\\u\{1b\}\]52;c;ZXZpbA==\\u\{7\}/)
      const refused = at.rehearse('--headless', '--port', '0', '-n', '--script', 'failing.json')
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
        const result = at.weave(...words)
        const csv = words.includes('--csv')
        expectClean(csv ? { ...result, stdout: result.stdout.replaceAll('\r\n', '\n') } : result, words)
        expect(`${result.stdout}${result.stderr}`, words.join(' ')).not.toBe('')
      }
      expect(at.weave('list').stdout).toContain('\\u{1b}]52;c;ZXZpbA==\\u{7}')
    },
    120_000,
  )

  verifies(
    ['attack/terminal-controls'],
    'are escaped in JSON, which says the same',
    () => {
      const rows = at.weave('list', '--json')
      expectClean(rows, ['list', '--json'])
      expect(JSON.parse(rows.stdout)).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ hank: `Hank ${hostile}` })]),
      )
      const events = at.weave('journal', '--json', execution())
      expectClean(events, ['journal', '--json'])
      expect(JSON.stringify(jsonLines(events.stdout))).toContain(JSON.stringify(`Said ${hostile}`))
      const verdict = at.weave('--validate', '--json', '--skip-self-test')
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
        const seen = lines.slice(1, -2).join('\n').replaceAll(cursor, '').replaceAll(colours, '')
        expect(seen).not.toBe('')
        expect(Object.entries(controls).filter(([, text]) => seen.includes(text))).toEqual([])
        expect(forbidden.exec(seen)?.[0].codePointAt(0)?.toString(16), words.join(' ')).toBe(undefined)
      }
    },
    120_000,
  )
})
