import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon as codonOf, command, hankFolder, loop as loopOf } from '../support/hank-folder.ts'

interface Verdict {
  readonly problems: readonly {
    readonly severity: string
    readonly where: string
    readonly message: string
  }[]
}

const codon = (fields: object = {}) => codonOf('a', fields)
const loop = (fields: object = {}) => loopOf('l', [codon({ onFailure: 'abort' })], fields)

/** The errors of `--validate` about a hank of these items. */
async function errorsOf(...items: readonly object[]): Promise<Verdict['problems']> {
  const at = await hankFolder(items)
  const { status, stdout } = at.weave('--validate', '--skip-self-test', '--json')
  const errors = (JSON.parse(stdout) as Verdict).problems.filter(({ severity }) => severity === 'error')
  expect(status).toBe(errors.length > 0 ? 1 : 0)
  return errors
}

describe('a hank does not load', () => {
  verifies(
    ['attack/id-control-characters'],
    'with a control character in an id',
    async () => {
      for (const character of ['\0', '\x1b', '\n', '\t', '\x7f', '\x9b']) {
        const errors = await errorsOf(
          codon({ id: `a${character}b` }),
          loop({ id: `c${character}d` }),
          loop({ id: 'm', codons: [codon({ id: `e${character}f`, onFailure: 'abort' })] }),
        )
        expect(errors.map(({ where }) => where)).toEqual(['hank[0].id', 'hank[1].id', 'hank[2].codons[0].id'])
        for (const { message } of errors)
          expect(message).toMatch(/has a control character \(U\+00[0-9A-F]{2}\) in it\. Take it out\.$/)
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
        codon({ rigSetup: [command(run)] }),
        codon({ id: 'b', outputFiles: [{ copy: ['*'], beforeCopy: [command(run)] }] }),
        loop({ codons: [codon({ id: 'c', onFailure: 'abort', rigSetup: [command(run)] })] }),
      ]
      const longest = `: ${'x'.repeat(131_069)}`
      expect(await errorsOf(...commands(longest))).toEqual([])
      const tooLong = expect.objectContaining({
        message: expect.stringContaining('longer than 131071 bytes') as string,
      })
      for (const run of [`${longest}x`, `: ${'x'.repeat(131_067)}é\u00e9`])
        expect(await errorsOf(...commands(run))).toEqual([tooLong, tooLong, tooLong])
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
