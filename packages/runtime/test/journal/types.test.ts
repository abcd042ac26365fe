import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createHistory } from '../../src/journal/index.ts'
import { openTestJournal } from './open.ts'

const last = 3_000

/** Of several segments: `info` is in all of them, a warning in some. */
async function filled(): Promise<string> {
  const dir = await tempDir()
  const journal = await openTestJournal(dir, { segmentBytes: 100_000 })
  for (let n = 1; n <= last; n++) {
    if (n % 510 === 0) journal.append('error', { code: 'X', message: `warning ${n}`, fatal: false })
    else journal.append('info', { message: `event number ${n}` })
    if (n % 8 === 0) journal.flush()
  }
  await journal.close()
  return dir
}

const warnings = [510, 1_020, 1_530, 2_040, 2_550]

async function read(dir: string, { types = ['error'], upTo = last } = {}) {
  const seqs: number[] = []
  const reasons: string[] = []
  for await (const page of createHistory({ dir, readOnly: true }).ofTypes(new Set(types), upTo)) {
    seqs.push(...page.events.map(({ seq }) => seq))
    reasons.push(...page.problems.map(({ reason }) => reason))
  }
  return { seqs, reasons }
}

function filesOf(dir: string, ending: string): readonly string[] {
  const names = readdirSync(dir).filter(name => name.endsWith(ending))
  return names.sort().map(name => join(dir, name))
}

/** The first line of a file, far from those that are looked for. */
function damage(file: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace('event number', 'event numbex'))
}

describe('the events of some types', () => {
  test('are those of the whole journal, up to the one that is the last', async () => {
    const dir = await filled()
    expect(filesOf(dir, '.jsonl').length).toBeGreaterThan(3)
    expect(await read(dir)).toEqual({ seqs: warnings, reasons: [] })
    expect(await read(dir, { upTo: 1_529 })).toEqual({ seqs: [510, 1_020], reasons: [] })
    const all = await read(dir, { types: ['error', 'info'] })
    expect(all.seqs).toEqual(Array.from({ length: last }, (_, at) => at + 1))
    expect(await read(dir, { types: ['codon.started'] })).toEqual({ seqs: [], reasons: [] })
  })

  test('are found without a look at the other lines where an index names them', async () => {
    const dir = await filled()
    const [, second = ''] = filesOf(dir, '.jsonl')
    damage(second)
    expect(await read(dir)).toEqual({ seqs: warnings, reasons: [] })
  })

  test('and the damage of a segment that was damaged when its index was made', async () => {
    const dir = await filled()
    const [, second = ''] = filesOf(dir, '.jsonl')
    damage(second)
    for (const file of filesOf(dir, '.idx')) rmSync(file)
    expect(await read(dir)).toEqual({ seqs: warnings, reasons: ['checksum'] })
  })

  test('and that a segment is gone', async () => {
    const dir = await filled()
    const [, second = ''] = filesOf(dir, '.jsonl')
    rmSync(second)
    const { seqs, reasons } = await read(dir)
    expect(seqs.length).toBeLessThan(warnings.length)
    expect(reasons).toEqual(['missing'])
  })

  test('also beside indexes of a program that did not name them', async () => {
    const dir = await filled()
    for (const file of filesOf(dir, '.idx')) {
      const { types: _, ...index } = JSON.parse(readFileSync(file, 'utf8')) as { readonly types: object }
      writeFileSync(file, JSON.stringify(index))
    }
    expect(await read(dir)).toEqual({ seqs: warnings, reasons: [] })
  })

  test('never are others, whatever an index says', async () => {
    const dir = await filled()
    const [first = ''] = filesOf(dir, '.idx')
    const index = JSON.parse(readFileSync(first, 'utf8')) as { readonly types: object }
    writeFileSync(first, JSON.stringify({ ...index, types: { ...index.types, error: [1, 2, 510] } }))
    expect(await read(dir)).toEqual({ seqs: warnings, reasons: [] })
  })

  test('go on being named in a journal that is closed and opened in the middle of a segment', async () => {
    const dir = await filled()
    const again = await openTestJournal(dir, { segmentBytes: 100_000 })
    for (let n = last + 1; n <= last + 300; n++) again.append('info', { message: `event number ${n}` })
    again.append('error', { code: 'X', message: 'the last', fatal: false })
    await again.close()
    expect(await read(dir, { upTo: last + 301 })).toEqual({ seqs: [...warnings, last + 301], reasons: [] })
  })
})
