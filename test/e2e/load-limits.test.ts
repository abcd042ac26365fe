import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { runCli } from '../support/run-cli.ts'
import { tempDir } from '../support/temp-dir.ts'

interface Verdict {
  readonly problems: readonly {
    readonly severity: string
    readonly where: string
    readonly message: string
  }[]
}

const codon = (more: object = {}) => ({
  id: 'a',
  name: 'A',
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: 'x',
  checkpointedFiles: ['*'],
  ...more,
})
const loop = (more: object = {}) => ({
  type: 'loop',
  id: 'l',
  name: 'L',
  terminateOn: { type: 'iterationLimit', limit: 1 },
  codons: [codon({ onFailure: 'abort' })],
  ...more,
})

/** The errors of `--validate` about a hank of one item. */
async function errorsOf(item: object): Promise<Verdict['problems']> {
  const cwd = await tempDir()
  mkdirSync(join(cwd, 'home'))
  writeFileSync(join(cwd, 'hank.json'), JSON.stringify({ $schema: 'x', hank: [item] }))
  const { status, stdout } = runCli(['--validate', '--skip-self-test', '--json'], { cwd, env: { HOME: cwd } })
  const errors = (JSON.parse(stdout) as Verdict).problems.filter(({ severity }) => severity === 'error')
  expect(status).toBe(errors.length > 0 ? 1 : 0)
  return errors
}

describe('a hank does not load', () => {
  verifies(
    ['attack/id-control-characters'],
    'with a control character in an id',
    async () => {
      for (const character of ['\0', '\x1b', '\n', '\t', '\x7f', '\x9b'])
        for (const item of [
          codon({ id: `a${character}b` }),
          loop({ id: `a${character}b` }),
          loop({ codons: [codon({ id: `a${character}b`, onFailure: 'abort' })] }),
        ]) {
          const [error, ...others] = await errorsOf(item)
          expect(error?.where).toMatch(/\.id$/)
          expect(error?.message).toMatch(
            /has a control character \(U\+00[0-9A-F]{2}\) in it\. Take it out\.$/,
          )
          expect(others).toEqual([])
        }
      expect(await errorsOf(codon({ id: 'ü 世界 – a' }))).toEqual([])
    },
    60_000,
  )

  verifies(
    ['d14/command-length'],
    'with a command over 131,071 bytes',
    async () => {
      const commands = (run: string) => [
        codon({ rigSetup: [{ type: 'command', command: { run } }] }),
        codon({ outputFiles: [{ copy: ['*'], beforeCopy: [{ type: 'command', command: { run } }] }] }),
        loop({ codons: [codon({ onFailure: 'abort', rigSetup: [{ type: 'command', command: { run } }] })] }),
      ]
      const longest = `: ${'x'.repeat(131_069)}`
      for (const item of commands(longest)) expect(await errorsOf(item)).toEqual([])
      for (const run of [`${longest}x`, `: ${'x'.repeat(131_067)}é\u00e9`])
        for (const item of commands(run))
          expect(await errorsOf(item)).toEqual([
            expect.objectContaining({ message: expect.stringContaining('longer than 131071 bytes') }),
          ])
    },
    60_000,
  )

  verifies(
    ['d14/path-length'],
    'with a path over 4,096 characters',
    async () => {
      const path = 'p'.repeat(4_097)
      const items = {
        promptFile: codon({ promptFile: path }),
        appendSystemPromptFile: codon({ appendSystemPromptFile: ['a', path] }),
        from: codon({ rigSetup: [{ type: 'copy', copy: { from: path, to: 'b' } }] }),
        to: codon({ rigSetup: [{ type: 'copy', copy: { from: 'hank.json', to: path } }] }),
        sentinelConfig: codon({ sentinels: [{ sentinelConfig: path }] }),
      }
      for (const [field, item] of Object.entries(items)) {
        const errors = await errorsOf(item)
        const about = errors.filter(({ message }) => message.includes('longer than 4096 characters'))
        expect(about, field).toHaveLength(1)
        expect(about[0]?.where).toContain(field)
        expect(about[0]?.message.length).toBeLessThan(300)
      }
      const shorter = await errorsOf(
        codon({ rigSetup: [{ type: 'copy', copy: { from: 'hank.json', to: path.slice(1) } }] }),
      )
      expect(shorter).toEqual([])
    },
    60_000,
  )
})
