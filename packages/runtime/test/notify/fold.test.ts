import type { EventData, JournaledEvent, JournaledType } from '@weave/protocol'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createNoticeFold } from '../../src/notify/fold.ts'
import { alarmTime, createGateAlarm } from '../../src/notify/gate-alarm.ts'
import { bodyOf, type Notice } from '../../src/notify/notice.ts'

/** Events one second apart. */
function story() {
  let seq = 0
  return <T extends JournaledType>(type: T, data: EventData<T>): JournaledEvent => {
    seq++
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString()
    return { id: `evt_${seq}`, seq, type, timestamp, data } as unknown as JournaledEvent
  }
}

const usage = {
  codonId: 'a',
  inputTokens: 1,
  outputTokens: 1,
  cacheCreationTokens: 0,
  cacheReadTokens: 0,
} as const

const failure = (cost = 0) =>
  ({
    codonId: 'a',
    codonName: 'a',
    success: false,
    exitStatus: { type: 'error', code: 1 },
    cost,
    duration: 1,
    failureReason: { type: 'timeout', retriable: true, message: 'the words of an agent' },
  }) as unknown as EventData<'codon.completed'>

const retrying = {
  codonId: 'a',
  attempt: 2,
  maxAttempts: 3,
  delayMs: 0,
  resumeAt: '2026-01-01T00:00:00.000Z',
  failureReason: { type: 'timeout', retriable: true },
} as const

const end = (status: 'completed' | 'failed' | 'stopped', reason?: string) => ({
  runId: 'r',
  status,
  ...(reason !== undefined && { reason }),
  totalCost: 1,
  duration: 2_000,
  codons: [],
})

describe('what a person is told of a run', () => {
  verifies(['notify/no-retries'], 'of attempts that fail only the last, when the run fails', () => {
    const on = story()
    const fold = createNoticeFold()
    const events = [
      on('codon.completed', failure()),
      on('codon.retrying', retrying),
      on('codon.completed', failure()),
      on('run.completed', end('failed', 'the words of an agent')),
    ]
    const notices = events.flatMap(event => fold(event))
    expect(notices.map(({ type, id }) => [type, id])).toEqual([
      ['codon.failed', 'evt_3'],
      ['run.ended', 'evt_4'],
    ])
    expect(JSON.stringify(notices)).not.toContain('words of an agent')
  })

  it('says a failure that waits for a person once, and runs that make room for another not at all', () => {
    const on = story()
    const fold = createNoticeFold()
    const events = [
      on('codon.completed', failure()),
      on('server.idle', { reason: 'codon-completed', message: '' }),
      on('server.idle', { reason: 'codon-completed', message: '' }),
      on('run.completed', end('stopped', 'redo')),
      on('run.completed', end('stopped', 'rollback')),
      on('run.completed', end('stopped', 'lunch')),
    ]
    expect(events.flatMap(event => fold(event)).map(({ type, message }) => [type, message])).toEqual([
      ['codon.failed', 'Codon a failed: timeout.'],
      ['run.ended', 'Stopped: lunch.'],
    ])
  })

  verifies(['notify/near'], 'at four fifths of the dollars, once, also over two codons', () => {
    const on = story()
    const fold = createNoticeFold({ limit: { scope: 'hank', dollars: 10 } })
    const events = [
      on('token.usage', { ...usage, totalCost: 7.9 }),
      on('codon.completed', { ...failure(7.9), success: true }),
      on('token.usage', { ...usage, totalCost: 0.2 }),
      on('token.usage', { ...usage, totalCost: 1 }),
    ]
    expect(events.map(event => fold(event).map(({ type, id, message }) => [type, id, message]))).toEqual([
      [],
      [],
      [['budget.near', 'evt_3', '$8.10 of $10 (hank) are spent.']],
      [],
    ])
  })

  verifies(['notify/expiring'], 'of a gate once more before it expires, unless it was decided', async () => {
    const minute = 60_000
    expect(alarmTime(0, 100 * minute)).toBe(80 * minute)
    expect(alarmTime(0, 20 * minute)).toBe(10 * minute)
    expect(alarmTime(0, 9 * minute)).toBeUndefined()
    const clock = createTestClock()
    const told: Notice[] = []
    const alarm = createGateAlarm(clock, notice => told.push(notice))
    const [waiting] = createNoticeFold()(
      story()('gate.waiting', { gateId: 'ok', round: 1, message: 'Look.' }),
    )
    if (!waiting) throw new Error('no notice')
    const since = { ...waiting, timestamp: clock.now().toISOString() }
    const deadline = new Date(clock.now().getTime() + 100 * minute).toISOString()
    alarm.set(since, deadline)
    await clock.advance(79 * minute)
    expect(told).toEqual([])
    await clock.advance(2 * minute)
    expect(told).toMatchObject([{ id: 'evt_1-expiring', type: 'gate.expiring', gateId: 'ok' }])
    alarm.set(
      { ...since, timestamp: clock.now().toISOString() },
      new Date(clock.now().getTime() + 100 * minute).toISOString(),
    )
    alarm.clear()
    await clock.advance(200 * minute)
    expect(told).toHaveLength(1)
  })

  verifies(['notify/body'], 'stays below 4 kB whatever names and messages are', () => {
    const notice: Notice = {
      id: 'evt_1',
      seq: 1,
      type: 'gate.waiting',
      timestamp: '2026-01-01T00:00:00.000Z',
      codonId: '"\\\u0001'.repeat(2_000),
      gateId: 'ü'.repeat(9_000),
      message: '😀'.repeat(9_000),
      cost: 1.23456789,
      durationMs: 12.5,
    }
    const body = bodyOf(notice, { execution: 'x'.repeat(9_000), hank: 'y'.repeat(9_000) })
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(4_096)
    expect(body.data['message']).toMatch(/^(?:😀)+…$/)
    expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data'])
  })
})
