import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder } from '../support/hank-folder.ts'

interface ComparedJson {
  readonly same: boolean
  readonly relation: string
  readonly commonEvents?: number
  readonly codons: readonly { readonly codonId: string; readonly same: boolean }[]
  readonly files: {
    readonly changed: number
    readonly files: readonly { readonly path: string; readonly status: string }[]
  }
  readonly totals: { readonly left: { readonly gatesMs: number } }
  readonly conversation: readonly {
    readonly codonId: string
    readonly onlyLeft: number
    readonly onlyRight: number
  }[]
}

const prompts = (...texts: readonly string[]) =>
  texts.map((text, at) => codon(`c${at}`, { promptText: text }))

async function compared(at: HankFolder, ...words: readonly string[]): Promise<ComparedJson> {
  const { status, stdout, stderr } = await at.scripted('compare', '--json', ...words)
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as ComparedJson
}

/** Two executions of one hank, the second with another prompt in its second codon. */
async function twoRuns(): Promise<HankFolder & { readonly names: readonly [string, string] }> {
  const at = await hankFolder(prompts('One.', 'Two.', 'Three.'), {}, { inMemory: true })
  await at.scripted('-e', at.path('runs/first'))
  at.setHank(prompts('One.', 'Two, but <b>longer</b>.', 'Three.'))
  await at.scripted('-e', at.path('runs/second'))
  return { ...at, names: [at.path('runs/first'), at.path('runs/second')] }
}

describe('weave compare', () => {
  verifies(
    [
      'compare/same',
      'compare/head',
      'compare/codons',
      'compare/files',
      'compare/conversation',
      'compare/costs',
      'compare/aligned',
    ],
    'says what two executions have in common and where they part, from both sides alike',
    async () => {
      const at = await twoRuns()
      const [one, other] = at.names
      expect(await compared(at, one, one)).toMatchObject({
        same: true,
        relation: 'same execution',
        files: { changed: 0 },
      })
      const there = await compared(at, one, other)
      const back = await compared(at, other, one)
      expect(there).toMatchObject({
        same: false,
        relation: 'none',
        files: { changed: 1, files: [{ path: 'c1.md', status: 'modified' }] },
        codons: [
          { codonId: 'c0', same: true },
          { codonId: 'c1', same: false },
          { codonId: 'c2', same: true },
        ],
        conversation: [
          { onlyLeft: 0, onlyRight: 0 },
          { onlyLeft: 2, onlyRight: 2 },
          { onlyLeft: 0, onlyRight: 0 },
        ],
      })
      expect(back.codons).toMatchObject(there.codons.map(({ codonId, same }) => ({ codonId, same })))
      expect(back.conversation.map(({ onlyLeft, onlyRight }) => [onlyRight, onlyLeft])).toEqual(
        there.conversation.map(({ onlyLeft, onlyRight }) => [onlyLeft, onlyRight]),
      )
      const said = (await at.scripted('compare', one, other)).stdout
      expect(said).toMatch(/^a {2}first\nb {2}second\n/)
      expect(said).toMatch(/hank +different/)
      expect(said).toMatch(/c1 +a +completed[\s\S]* b +completed[\s\S]* Δ/)
      expect(said).not.toMatch(/^c0 +a/m)
      expect(said).toMatch(/first difference at step \d/)
      expect(said).toMatch(/output tokens/)
      expect((await at.scripted('compare', one, other, '--all')).stdout).toMatch(/^c0 +a/m)
      expect((await at.scripted('compare', one, other, '--files', '--diff')).stdout).toContain('+++ b/c1.md')
    },
    120_000,
  )

  verifies(
    ['compare/exit-code', 'compare/formats', 'compare/at'],
    'answers programs by exit code, JSON and a page, and takes checkpoints',
    async () => {
      const at = await twoRuns()
      const [one, other] = at.names
      expect(await at.scripted('compare', one, one, '--exit-code')).toMatchObject({ status: 0 })
      expect(await at.scripted('compare', one, other, '--exit-code')).toMatchObject({ status: 1 })
      expect(await at.scripted('compare', one, 'nowhere', '--exit-code')).toMatchObject({ status: 2 })
      expect(await at.scripted('compare', `${one}@zzz`, other, '--exit-code')).toMatchObject({ status: 2 })
      expect(await at.scripted('compare', one)).toMatchObject({ status: 2 })
      expect(await at.scripted('compare', `${one}@c0`, `${other}@c0`, '--exit-code')).toMatchObject({
        status: 0,
      })
      expect((await at.scripted('compare', one, other, '--html', 'page.html')).status).toBe(0)
      const page = readFileSync(at.path('page.html'), 'utf8')
      expect(page).toContain("default-src 'none'")
      expect(page).not.toMatch(/<script|<b>/)
      expect(page).toContain('c1.md')
      expect(
        (await at.scripted('compare', one, other, '--html', 'nowhere/page.html', '--exit-code')).status,
      ).toBe(2)
    },
    120_000,
  )

  verifies(
    ['compare/costs'],
    'tells the time at gates apart from the time at work',
    async () => {
      const gates = JSON.stringify({ gates: [{ id: 'read-it', before: 'b' }] })
      const at = await hankFolder([codon('a'), codon('b')], { 'weave.json': gates }, { inMemory: true })
      expect((await at.scripted('--on-gate', 'exit')).status).toBe(3)
      expect((await at.scripted('gate', 'approve', at.execution())).status).toBe(0)
      expect((await at.scripted()).status).toBe(0)
      const waited = at.events().flatMap(({ type, data }) => (type === 'gate.decided' ? [data.waitedMs] : []))
      expect(waited).toEqual([expect.any(Number)])
      const { totals } = await compared(at, at.execution(), at.execution())
      expect(totals.left.gatesMs).toBe(waited[0])
      expect(totals.left.gatesMs).toBeGreaterThan(0)
      expect((await at.scripted('compare', at.execution(), at.execution(), '--costs')).stdout).toMatch(
        /^at gates +\d/m,
      )
    },
    120_000,
  )

  verifies(
    ['compare/head', 'compare/at'],
    'knows a fork of the other, and counts a live execution up to its last checkpoint',
    async () => {
      const at = await hankFolder(
        [codon('a'), codon('b'), codon('hanging', { promptText: 'Then hang.' })],
        {},
        { inMemory: true },
      )
      const run = await at.startScripted()
      await run.until('codon hanging started')
      const source = at.execution()
      const made = JSON.parse((await at.scripted('fork', source, '--at', 'b', '--json')).stdout) as {
        dir: string
        origin: { prefix: { events: number } }
      }
      const live = await compared(at, source, made.dir)
      expect(live).toMatchObject({
        same: true,
        relation: 'source of the other',
        commonEvents: made.origin.prefix.events,
      })
      expect((await at.scripted('compare', made.dir, source)).stdout).toContain(
        `a is a fork of b: first ${made.origin.prefix.events} events in common`,
      )
      expect((await at.scripted('compare', source, made.dir)).stdout).toMatch(
        new RegExp(`a {2}${basename(source)} at b completed, [0-9a-f]{8} \\(a run is going on`),
      )
      expect(await run.kill('SIGINT')).toBe(130)
    },
    120_000,
  )
})
