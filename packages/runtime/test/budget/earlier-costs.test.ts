import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { currentRun, emptyState } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { readEarlierCosts } from '../../src/at-rest/read-execution.ts'
import { openJournal, writeStateCache } from '../../src/journal/index.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { createRecorder } from '../../src/runner/state-recorder.ts'
import { type ExecutionLayout, noDataHash, openExecution } from '../../src/workspace/index.ts'
import { codon, plan } from './budget-plans.ts'

const of = plan([codon('a')])
const hankPath = '/somewhere/hank.json'
const tokens = { inputTokens: 1, outputTokens: 1, cacheCreationTokens: 0, cacheReadTokens: 0 }

interface Made {
  readonly base: string
  readonly minute: number
  readonly cost: number
  readonly rehearsal?: boolean
  readonly path?: string
}

/** An execution in which codon `a` was done. */
async function execution({ base, minute, cost, rehearsal = false, path = hankPath }: Made) {
  const clock = createTestClock(new Date(Date.UTC(2026, 0, 1, 0, minute)))
  const opened = await openExecution({
    hankPath: path,
    hankHash: '',
    dataHash: noDataHash,
    executionBaseDir: base,
    startNew: true,
    force: false,
    wipe: true,
    copy: false,
    rehearsal,
    weaveVersion: 'test',
    clock,
  })
  if (opened.kind === 'problem') throw new Error(opened.message)
  await spend(opened.layout, cost)
  return opened.layout
}

async function spend({ journal: dir, stateFile }: ExecutionLayout, cost: number): Promise<void> {
  await mkdir(dir, { recursive: true })
  const redactor = createRedactor([])
  const journal = await openJournal({ dir, clock: createTestClock(), redactor })
  const recorder = createRecorder(journal, redactor, emptyState)
  const startTime = '2026-01-01T00:00:00.000Z'
  const endTime = '2026-01-01T00:00:02.000Z'
  recorder.record({
    type: 'RunStarted',
    data: { runId: 'r', startTime, gitBranch: 'run-r', startedFrom: { type: 'fresh' } },
  })
  recorder.record({
    type: 'CodonStarted',
    data: { codonId: 'a', codonName: 'A', attempt: 1, startTime, model: 'known' },
  })
  recorder.record({ type: 'CostsUpdated', data: { codonId: 'a', cost, tokens } })
  for (const to of ['starting', 'initializing'] as const)
    recorder.record({ type: 'CodonTransitioned', data: { codonId: 'a', to } })
  recorder.record({ type: 'CodonTransitioned', data: { codonId: 'a', to: 'running', sessionId: 's' } })
  recorder.record({ type: 'CodonTransitioned', data: { codonId: 'a', to: 'completing-sentinels' } })
  recorder.record({
    type: 'CodonTransitioned',
    data: { codonId: 'a', to: 'completed', endTime, exitStatus: { type: 'success' } },
  })
  recorder.record({ type: 'RunCompleted', data: { runId: 'r', endTime, outcome: 'completed' } })
  expect(currentRun(recorder.state)?.status).toBe('completed')
  const last = journal.append('info', { message: 'the end' })
  await journal.close()
  writeStateCache(stateFile, { state: recorder.state, lastSeq: last.seq, lastId: last.id })
}

describe('earlier executions of a hank', () => {
  test('say what it took, without those of other hanks and rehearsals', async () => {
    const base = await tempDir({ inMemory: true })
    await execution({ base, minute: 1, cost: 2 })
    await execution({ base, minute: 2, cost: 3 })
    await execution({ base, minute: 3, cost: 50, rehearsal: true })
    await execution({ base, minute: 4, cost: 60, path: '/elsewhere/hank.json' })
    const { executions, codons } = await readEarlierCosts({ executionBaseDir: base, hankPath, plan: of })
    expect(executions).toMatchObject({ count: 2, dollars: { low: 2, high: 3 } })
    expect(codons.get('a')).toEqual({
      count: 2,
      executions: 2,
      dollars: { low: 2, high: 3 },
      seconds: { low: 2, high: 2 },
    })
  })

  test('are read newest first, and twenty at the most', async () => {
    const base = await tempDir({ inMemory: true })
    for (let minute = 1; minute <= 22; minute++) await execution({ base, minute, cost: minute })
    const { codons } = await readEarlierCosts({ executionBaseDir: base, hankPath, plan: of })
    expect(codons.get('a')).toMatchObject({ count: 20, dollars: { low: 3, high: 22 } })
  })

  test('that were never closed are not read, whatever else lies there is passed over', async () => {
    const base = await tempDir({ inMemory: true })
    const { stateFile } = await execution({ base, minute: 1, cost: 1 })
    await rm(stateFile)
    await mkdir(join(base, 'notes'))
    await mkdir(join(base, 'empty-20260101-000000-abcdef'))
    const query = { hankPath, plan: of }
    expect((await readEarlierCosts({ ...query, executionBaseDir: base })).codons.size).toBe(0)
    expect((await readEarlierCosts({ ...query, executionBaseDir: join(base, 'gone') })).codons.size).toBe(0)
  })
})
