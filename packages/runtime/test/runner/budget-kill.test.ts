import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'

interface Account {
  readonly status: string
  readonly run: string
  readonly entries: number
  /** What the journal had when this start began. */
  readonly before: number
  /** What agents and sentinels of this start have spent. */
  readonly reported: number
  readonly total: number
  readonly inLoop: number
}

const program = await fixtureProgram(new URL('./fixtures/spend-until-killed.ts', import.meta.url))

function start(dir: string, ...words: readonly string[]) {
  const { stdout, signal, stderr } = spawnSync(process.execPath, [program, dir, ...words], {
    encoding: 'utf8',
  })
  return { signal, stderr, account: stdout === '' ? undefined : (JSON.parse(stdout) as Account) }
}

/** Dollars after each entry of the ledger, read off the lines of the journal without our own reader. */
function entriesIn(dir: string): readonly number[] {
  const lines = readFileSync(join(dir, 'journal', 'events-000000000001.jsonl'), 'utf8').split('\n')
  const isEntry = (line: string) => /"(CostsUpdated|CodonFinalCostSet|SentinelStatesUpdated)"/.test(line)
  return lines.filter(isEntry).map(line => Number(/"totalCost":([\d.]+)/.exec(line)?.[1]))
}

verifies(
  ['d9/ledger-crash', 'd9/ledger-resume', 'safety/I9'],
  'a kill at an entry of the ledger, before it is written and just after, loses nothing else and counts nothing twice',
  async () => {
    const whole = await tempDir({ inMemory: true })
    const { account, stderr } = start(whole)
    expect(account, stderr).toMatchObject({ status: 'completed', before: 0 })
    expect(account?.total).toBeCloseTo(account?.reported ?? 0, 9)
    const amounts = entriesIn(whole)
    expect(amounts).toHaveLength(account?.entries ?? 0)
    expect(amounts.length).toBeGreaterThan(12)
    const all = amounts.map((_, index) => index + 1)
    const some = process.env['WEAVE_PROOF'] === '1' ? all : [1, 5, all.length]
    tally('kills survived', 2 * some.length)
    for (const at of some) {
      for (const moment of ['before', 'after'] as const) {
        const dir = await tempDir({ inMemory: true })
        expect(start(dir, `${at}`, moment).signal).toBe('SIGKILL')
        const next = start(dir)
        const spent = amounts[moment === 'before' ? at - 2 : at - 1] ?? 0
        expect(next.account, next.stderr).toMatchObject({ status: 'completed', run: 'completed' })
        expect(next.account?.before).toBeCloseTo(spent, 9)
        expect(next.account?.total).toBeCloseTo(spent + (next.account?.reported ?? 0), 9)
        // No limit is passed by more than the call that was under way, and the sentinel that went with it.
        expect(next.account?.total).toBeLessThan(4 + 0.5 + 0.125 + 0.0625)
        expect(next.account?.inLoop).toBeLessThan(2 + 0.5 + 0.125)
      }
    }
  },
  300_000,
)
