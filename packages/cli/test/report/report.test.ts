import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { heardTerminal } from '../../../../test/support/heard-terminal.ts'
import { spentExecution } from '../../../../test/support/spent-execution.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { FlagName } from '../../src/flags.ts'
import { reportCommand } from '../../src/report/report.ts'

async function report(positionals: readonly string[], ...switches: readonly FlagName[]) {
  const terminal = heardTerminal()
  const args = { positionals, switches: new Set(switches), texts: {} }
  const code = await reportCommand(args, terminal)
  return { code, ...terminal.said }
}

describe('weave report --costs', () => {
  test('prints what an execution cost, as text, JSON or a table for spreadsheets', async () => {
    const dir = await spentExecution(await tempDir({ inMemory: true }))
    const text = await report([dir], 'costs')
    expect(text).toMatchObject({ code: 0, error: [dir] })
    expect(text.out[1]).toMatch(/^a +known +1 .*\$2\.50$/)
    const json = await report([dir], 'costs', 'json')
    expect(JSON.parse(json.out.join('\n'))).toMatchObject({ totals: { codons: 2.5, sentinels: 0, all: 2.5 } })
    const csv = await report([dir], 'costs', 'csv')
    expect(csv.out.join('\n')).toContain('a,,known,1,all,,,,2.5,yes,a list,2026-01-01')
  })

  test('wants to know how', async () => {
    expect(await report([], 'csv')).toEqual({
      code: 2,
      out: [],
      error: ['--csv is for tables only: weave report --costs --csv, or --requests --csv.'],
    })
    expect(await report([], 'costs', 'json', 'csv')).toMatchObject({
      code: 2,
      error: ['--json and --csv exclude each other.'],
    })
  })

  test('fails for what is no execution, and for one that has not begun', async () => {
    const dir = await tempDir({ inMemory: true })
    expect(await report([join(dir, 'nothing')], 'costs')).toMatchObject({ code: 1, out: [] })
    const empty = await spentExecution(dir, { begun: false })
    expect(await report([empty], 'costs')).toMatchObject({
      code: 1,
      error: [empty, `${empty} has not begun: it has no plan yet.`],
    })
  })
})
