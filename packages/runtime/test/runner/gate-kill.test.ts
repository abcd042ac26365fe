import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { readAll } from '../journal/open.ts'

const program = fixtureProgram(new URL('./fixtures/decide-until-killed.ts', import.meta.url))

async function start(dir: string, point: string, deed: string): Promise<'killed' | 'finished'> {
  const child = spawn(process.execPath, [await program, dir, point, deed], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = await once(child, 'close')
  return signal === 'SIGKILL' ? 'killed' : 'finished'
}

/** Whether no start of the gated codon came before a yes to the question that was open then. */
async function passedOnlyByYes(dir: string): Promise<readonly string[]> {
  const { events } = await readAll(join(dir, 'journal'))
  const faults: string[] = []
  let isAllowed = false
  for (const { type, data, seq } of events) {
    if (type === 'rollback.started') isAllowed = false
    if (type === 'gate.decided') isAllowed = data.decision === 'approved'
    if (
      type === 'state.transition' &&
      data.transitionType === 'CodonStarted' &&
      data.codonId === 'b' &&
      !isAllowed
    )
      faults.push(`b started at ${seq} without a yes`)
  }
  return faults
}

async function decisions(dir: string): Promise<number> {
  const { events } = await readAll(join(dir, 'journal'))
  const answered = events.flatMap(({ type, data }) => (type === 'gate.decided' ? [data.waitingSeq] : []))
  expect(new Set(answered).size).toBe(answered.length)
  return answered.length
}

verifies(
  ['gates/durable'],
  'killed before and in the middle of every write of a gate, a run is waiting or decided, and never past the gate',
  async () => {
    const base = await tempDir({ inMemory: true })
    const step = isProof ? 1 : 30
    let kills = 0
    const sweep = async (deed: string, how: string): Promise<void> => {
      for (let write = 1; ; write += step) {
        const dir = join(base, `${deed}-${how}-${write}`)
        const end = await start(dir, `${how}:${write}`, deed)
        expect(await passedOnlyByYes(dir), dir).toEqual([])
        if (end === 'finished') return
        kills++
        // Whatever it left, a start without anybody there never passes by itself.
        await start(dir, 'none:0', 'nobody')
        expect(await passedOnlyByYes(dir), dir).toEqual([])
        // And one with somebody comes to the end.
        await start(dir, 'none:0', deed === 'nobody' ? 'approve' : deed)
        expect(await passedOnlyByYes(dir), dir).toEqual([])
        expect(await decisions(dir), dir).toBeGreaterThan(0)
      }
    }
    for (const deed of ['approve', 'next', 'redo', 'nobody'])
      await Promise.all(['before', 'middle'].map(how => sweep(deed, how)))
    tally('kills over the writes of a gate', kills)
    expect(kills).toBeGreaterThanOrEqual(isProof ? 200 : 4)
  },
  isProof ? 3_600_000 : 240_000,
)
