import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type JournaledEvent, events as rows } from '@weave/protocol'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { type Journal, replay } from '../../src/journal/index.ts'
import { JournalFailure } from '../../src/journal/journal.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { openScenario, type Scenario, startScenario } from './scenario.ts'

/**
 * A journal that takes so many events and not one more. `late`: it notices only when it writes what was appended in the
 * same tick, as a real one does for events that need no sync of their own.
 */
function refusingAfter(events: number, late: boolean): (journal: Journal) => Journal {
  return journal => {
    let taken = 0
    let failure: JournalFailure | undefined
    const refuse = (): JournalFailure => {
      failure ??= new JournalFailure('The journal cannot be written: no space left')
      return failure
    }
    return {
      append(type, data, options) {
        if (failure) throw failure
        if (taken++ < events) return journal.append(type, data, options)
        if (!late || rows[type].durability === 'synced') throw refuse()
        setImmediate(refuse)
        return { seq: 0, id: '', timestamp: '', type, data } as JournaledEvent as JournaledEvent<typeof type>
      },
      flush() {
        if (failure || taken > events) throw refuse()
        journal.flush()
      },
      synced: () => (failure ? Promise.reject(failure) : journal.synced()),
      subscribe: listener => journal.subscribe(listener),
      history: journal.history,
      findings: journal.findings,
      get lastSeq() {
        return journal.lastSeq
      },
      get counts() {
        return journal.counts
      },
      get lastSeqWithoutOrigin() {
        return journal.lastSeqWithoutOrigin
      },
      repair: journal.repair,
      get failure() {
        return failure ?? journal.failure
      },
      close: () => journal.close(),
    }
  }
}

const plan = planOf(
  loopPlan('l', 2, [codonPlan('x')]),
  codonPlan('again', { onFailure: 'retry', retry: { maxAttempts: 2, delayMs: 100, maxDelayMs: 100 } }),
  codonPlan('hangs'),
  codonPlan('z'),
)

const script = (id: string, call: number) => {
  if (id === 'again' && call === 0) return [{ fail: 'overloaded', retriable: true }] as const
  if (id === 'hangs') return [{ say: 'hm' }, { hang: true }] as const
  return undefined
}

/** A retry, a minute and a half of silence, a skip, a redo and a shutdown: whatever can be written at. */
async function steer(run: Scenario): Promise<void> {
  run.runner.clientArrived()
  await run.clock.advance(1_000)
  await run.clock.advance(60_000)
  const answers: Promise<unknown>[] = [run.send('codon.skip')]
  await run.clock.advance(1_000)
  answers.push(run.send('codon.redo'))
  await run.clock.advance(1_000)
  answers.push(run.send('server.shutdown'))
  await run.clock.advance(1_000)
  await Promise.all(answers)
}

describe('a disk that refuses', () => {
  test('after any number of events: the runner ends as failed, promptly, and everybody gets an answer', async () => {
    const whole = await startScenario({ plan, script, headless: false })
    await steer(whole)
    expect(await whole.runner.done).toMatchObject({ status: 'completed' })
    const base = await tempDir({ inMemory: true })
    for (const late of [false, true]) {
      for (let events = 0; events < whole.events.length - 1; events++) {
        const name = `after ${events} events${late ? ', late' : ''}`
        const wrap = refusingAfter(events, late)
        const run = await openScenario({ plan, script, headless: false, wrap }, join(base, name))
        await steer(run)
        expect(await run.runner.done, name).toMatchObject({
          status: 'failed',
          reason: expect.stringContaining('no space left'),
        })
        expect(run.clock.sleepers(), name).toBe(0)
        await run.journal.close()
        const { state } = await replay(run.journal.history, join(base, 'none'))
        expect(JSON.stringify(state), name).toBe(JSON.stringify(run.recorder.state))
      }
    }
  }, 60_000)

  test('for real, by a limit on file size: nothing is called a success, and the next server goes on', async () => {
    const dir = await tempDir()
    const journalDir = join(dir, 'journal')
    const program = join(dir, 'program.mjs')
    await build({
      entryPoints: [new URL('./fixtures/run-until-refused.ts', import.meta.url).pathname],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
      conditions: ['weave-source'],
      mainFields: ['module', 'main'],
    })
    const child = spawnSync(
      '/bin/sh',
      ['-c', `ulimit -f 32; exec "${process.execPath}" "${program}" "${journalDir}" 40`],
      { encoding: 'utf8' },
    )
    const report = JSON.parse(child.stdout)
    expect(report).toMatchObject({ end: { status: 'failed' }, failure: 'JournalFailure' })
    expect(report.end.reason).toContain(journalDir)
    expect(report.successes).toBeGreaterThan(0)
    expect(report.successes).toBeLessThan(40)
    const codons = Array.from({ length: 40 }, (_, n) => codonPlan(`c${n}`))
    const next = await startScenario({ plan: planOf(...codons), from: { dir } })
    expect(await next.runner.done).toEqual({ status: 'completed' })
    const completed = next.recorder.state.runs.flatMap(run =>
      run.codons.flatMap(({ codonId, status }) => (status === 'completed' ? [codonId] : [])),
    )
    expect(completed).toEqual(codons.map(({ id }) => id))
  }, 60_000)
})
