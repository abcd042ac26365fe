import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { assertSample } from '../../../../test/support/sampled.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openTestJournal, readAll } from './open.ts'

/** A journal of a few segments with short and long events. */
async function sampleJournal(dir: string): Promise<void> {
  const journal = await openTestJournal(dir, { segmentBytes: 3_000 })
  for (let n = 1; n <= 60; n++) {
    journal.append('info', {
      message: `event ${n} ${'·'.repeat(n % 7)}${n % 20 === 0 ? 'x'.repeat(5_000) : ''}`,
    })
    if (n % 4 === 0) journal.flush()
  }
  await journal.close()
}

const segmentsOf = (dir: string) =>
  readdirSync(dir)
    .filter(name => name.endsWith('.jsonl'))
    .sort()

interface Damage {
  readonly kind: 'cut' | 'flip' | 'zeros'
  readonly where: number
  readonly bit: number
}

/** Damages one segment and says how many lines of it lie wholly before the damage. */
function inflict(dir: string, segment: string, { kind, where, bit }: Damage): number {
  const path = join(dir, segment)
  const bytes = readFileSync(path)
  const at = Math.floor(where * bytes.length)
  if (kind === 'cut') truncateSync(path, at)
  if (kind === 'flip')
    writeFileSync(path, Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte))))
  if (kind === 'zeros') writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.alloc(64)]))
  return bytes.subarray(0, at).filter(byte => byte === 0x0a).length
}

verifies(
  ['d6/torn-last-line-cut', 'd6/bad-line-reported', 'd6/bad-line-skipped', 'd6/append-only'],
  'random cuts and flipped bits: every whole line before the damage is kept, the next append is readable, nothing throws',
  async () => {
    const original = await tempDir({ inMemory: true })
    const work = join(await tempDir({ inMemory: true }), 'work')
    await sampleJournal(original)
    const before = await readAll(original)
    const names = segmentsOf(original)
    const lineCounts = names.map(name => readFileSync(join(original, name), 'utf8').split('\n').length - 1)

    const damage = fc.record({
      kind: fc.constantFrom('cut' as const, 'flip' as const, 'zeros' as const),
      where: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bit: fc.integer({ min: 0, max: 7 }),
    })
    const damaged = await assertSample(
      fc.asyncProperty(damage, fc.nat(names.length - 1), async (hit, segment) => {
        rmSync(work, { recursive: true, force: true })
        cpSync(original, work, { recursive: true })
        const wholeLines = inflict(work, names[segment] ?? '', hit)
        const journal = await openTestJournal(work)
        const added = journal.append('info', { message: 'after the damage' })
        await journal.close()
        const after = await readAll(work)
        const safe = lineCounts.slice(0, segment).reduce((sum, count) => sum + count, 0) + wholeLines
        expect(after.events.slice(0, safe)).toEqual(before.events.slice(0, safe))
        expect(after.events.at(-1)).toEqual(added)
        const kept = new Map(before.events.map(event => [event.seq, event]))
        for (const event of after.events.slice(0, -1)) expect(event).toEqual(kept.get(event.seq))
        expect(new Set(after.events.map(event => event.seq)).size).toBe(after.events.length)
      }),
      { whole: 3_000, atLeast: 100 },
    )
    tally('torn and damaged journals', damaged)
  },
  120_000,
)

test('what is cut off is kept aside and said', async () => {
  const dir = await tempDir()
  await sampleJournal(dir)
  const last = segmentsOf(dir).at(-1) ?? ''
  const whole = statSync(join(dir, last)).size
  truncateSync(join(dir, last), whole - 5)
  const journal = await openTestJournal(dir)
  expect(journal.repair?.tornBytes).toBeGreaterThan(20)
  expect(readFileSync(journal.repair?.keptIn ?? '').length).toBe(journal.repair?.tornBytes)
  expect(journal.lastSeq).toBe(59)
  await journal.close()
})

test('the number of a damaged last event is not given out again', async () => {
  const dir = await tempDir()
  await sampleJournal(dir)
  const last = join(dir, segmentsOf(dir).at(-1) ?? '')
  const bytes = readFileSync(last)
  bytes[bytes.length - 10] = (bytes[bytes.length - 10] ?? 0) ^ 1
  writeFileSync(last, bytes)
  const journal = await openTestJournal(dir)
  expect(journal.repair).toMatchObject({ tornBytes: 0, badLines: 1 })
  expect(journal.append('info', { message: 'next' }).seq).toBe(61)
  await journal.close()
  const { events, problems } = await readAll(dir)
  expect(problems).toBe(1)
  expect(events.map(event => event.seq).slice(-2)).toEqual([59, 61])
})
