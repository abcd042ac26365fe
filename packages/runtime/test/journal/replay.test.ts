import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyState, reduce, summarize, type Transition, type WeaveState } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import {
  crashOf,
  createHistory,
  type Journal,
  lastEventTime,
  replay,
  writeStateCache,
} from '../../src/journal/index.ts'
import { openTestJournal } from './open.ts'

const at = '2026-01-02T03:04:05.000Z'
const tokens = { inputTokens: 10, outputTokens: 2, cacheCreationTokens: 0, cacheReadTokens: 0 }

/** Two codons, the second still running: what a crash leaves behind. */
const story: readonly Transition[] = [
  {
    type: 'RunStarted',
    data: { runId: 'r1', startTime: at, gitBranch: 'run-r1', startedFrom: { type: 'fresh' } },
  },
  { type: 'InitialCheckpointSet', data: { runId: 'r1', sha: 'aaaa' } },
  { type: 'CodonStarted', data: { codonId: 'one', codonName: 'One', attempt: 1, startTime: at, model: 'm' } },
  { type: 'CodonTransitioned', data: { codonId: 'one', to: 'starting' } },
  { type: 'CodonTransitioned', data: { codonId: 'one', to: 'initializing' } },
  { type: 'CodonTransitioned', data: { codonId: 'one', to: 'running', sessionId: 's1' } },
  { type: 'CostsIncremented', data: { codonId: 'one', cost: 0.01, tokens } },
  { type: 'CodonTransitioned', data: { codonId: 'one', to: 'completing-sentinels' } },
  { type: 'CheckpointCreated', data: { codonId: 'one', checkpointType: 'completed', sha: 'bbbb' } },
  {
    type: 'CodonTransitioned',
    data: { codonId: 'one', to: 'completed', endTime: at, exitStatus: { type: 'success' } },
  },
  { type: 'CodonStarted', data: { codonId: 'two', codonName: 'Two', attempt: 1, startTime: at, model: 'm' } },
  { type: 'CostsIncremented', data: { codonId: 'two', cost: 0.02, tokens } },
]

/** Journals transitions as the runner does, between other events, and returns the live state. */
function record(
  journal: Journal,
  transitions: readonly Transition[],
  from: WeaveState = emptyState,
): WeaveState {
  return transitions.reduce((state, transition) => {
    const reduction = reduce(state, transition)
    if (!reduction.ok) throw new Error(reduction.reason)
    journal.append('state.transition', {
      transitionType: transition.type,
      transition: { type: transition.type, data: transition.data },
      resultingState: summarize(reduction.state),
    })
    journal.append('info', { message: 'not a "type":"state.transition" at all' })
    return reduction.state
  }, from)
}

async function recorded() {
  const dir = await tempDir()
  const journal = await openTestJournal(join(dir, 'journal'), { segmentBytes: 1_500 })
  const state = record(journal, story)
  const last = journal.append('info', { message: 'the last one' })
  await journal.close()
  const statePath = join(dir, 'state.json')
  const again = () => replay(createHistory({ dir: join(dir, 'journal') }), statePath)
  return { dir, state, last, statePath, again }
}

describe('replay', () => {
  verifies(
    ['d4/fold-equals-live-state', 'd4/state-file-rebuilt-missing'],
    'folds the journal into exactly the live state',
    async () => {
      const { state, last, again } = await recorded()
      const replayed = await again()
      expect(replayed).toEqual({ state, lastSeq: last.seq, source: 'journal', refused: [], damaged: [] })
      expect(JSON.stringify(replayed.state)).toBe(JSON.stringify(state))
    },
  )

  verifies(['d4/state-file-rebuilt-behind'], 'reads only what came after the cached state', async () => {
    const { dir, state, last, statePath, again } = await recorded()
    writeStateCache(statePath, {
      state,
      lastSeq: last.seq,
      lastId: last.id,
      said: { warnings: 2, codons: 3 },
    })
    const journal = await openTestJournal(join(dir, 'journal'))
    const more = record(
      journal,
      [{ type: 'CodonTransitioned', data: { codonId: 'two', to: 'starting' } }],
      state,
    )
    await journal.close()
    expect(await again()).toEqual({
      state: more,
      lastSeq: last.seq + 2,
      source: 'cache',
      refused: [],
      damaged: [],
    })
  })

  verifies(
    ['safety/I3', 'd4/state-file-rebuilt-torn', 'd4/state-file-atomic'],
    'a cache that is torn, flipped at any byte, of another journal or ahead of it changes nothing',
    async () => {
      const { dir, state, last, statePath, again } = await recorded()
      const said = { warnings: 2, question: '{"seq":7}', codons: 3 }
      writeStateCache(statePath, { state, lastSeq: last.seq, lastId: last.id, said })
      expect(readdirSync(dir).sort()).toEqual(['journal', 'state.json'])
      const good = readFileSync(statePath)
      const step = isProof ? 1 : 7
      for (let at = 0; at < good.length; at += step) {
        writeFileSync(statePath, Buffer.from(good.map((byte, index) => (index === at ? byte ^ 4 : byte))))
        expect((await again()).state, `byte ${at}`).toEqual(state)
      }
      for (let bytes = 0; bytes < good.length; bytes += step) {
        writeFileSync(statePath, good)
        truncateSync(statePath, bytes)
        expect((await again()).state, `${bytes} bytes`).toEqual(state)
      }
      tally('spoilt states', 2 * Math.ceil(good.length / step))
      writeStateCache(statePath, { state: emptyState, lastSeq: last.seq, lastId: 'evt_of_another_journal' })
      expect(await again()).toMatchObject({ state, source: 'journal' })
      writeStateCache(statePath, { state: emptyState, lastSeq: last.seq + 100, lastId: last.id })
      expect(await again()).toMatchObject({ state, source: 'journal' })
      rmSync(statePath)
      expect(existsSync(statePath)).toBe(false)
      expect((await again()).state).toEqual(state)
    },
  )

  test('a transition lost to damage is said, and what no longer fits is refused, not guessed', async () => {
    const { dir, again } = await recorded()
    const first = join(dir, 'journal', 'events-000000000001.jsonl')
    const bytes = readFileSync(first)
    bytes[60] = (bytes[60] ?? 0) ^ 1
    writeFileSync(first, bytes)
    const { refused, damaged, state } = await again()
    expect(damaged).toEqual([{ file: 'events-000000000001.jsonl', offset: 0, reason: 'checksum' }])
    expect(refused.length).toBeGreaterThan(5)
    expect(state.runs).toEqual([])
  })
})

describe('a run without an end', () => {
  test('is what the next process calls crashed, and its codon failed', async () => {
    const { again } = await recorded()
    const { state } = await again()
    const crash = crashOf(state, new Date(at))
    expect(crash).toEqual({ type: 'RunCrashed', data: { runId: 'r1', endTime: at } })
    const after = reduce(state, crash ?? never())
    expect(after).toMatchObject({
      ok: true,
      state: { runs: [{ status: 'crashed', codons: [{}, { status: 'failed', failedDuring: 'preparing' }] }] },
    })
    expect(after.ok && crashOf(after.state, new Date(at))).toBe(undefined)
    expect(crashOf(emptyState, new Date(at))).toBe(undefined)
  })

  verifies(['moves/crash-time'], 'does not end before its last event, whoever wrote that', async () => {
    const { dir, again } = await recorded()
    const { state, lastSeq } = await again()
    const last = await lastEventTime(createHistory({ dir: join(dir, 'journal') }), lastSeq)
    const before = new Date(Date.parse(last ?? '') - 600_000)
    expect(crashOf(state, before, last)?.data.endTime).toBe(last)
    const after = new Date(Date.parse(last ?? '') + 600_000)
    expect(crashOf(state, after, last)?.data.endTime).toBe(after.toISOString())
  })
})

function never(): never {
  throw new Error('expected a crash')
}
