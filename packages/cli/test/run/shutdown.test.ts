import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { heardTerminal } from '../../../../test/support/heard-terminal.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createShutdownLimit, onSignals } from '../../src/run/shutdown.ts'

function scene() {
  const clock = createTestClock()
  const exits: number[] = []
  const asked: string[] = []
  const terminal = heardTerminal()
  const exit = (code: number): void => void exits.push(code)
  const limit = createShutdownLimit(terminal, { clock, exit })
  const signals = onSignals(terminal, { limit, exit })
  return { clock, exits, asked, limit, signals }
}

describe('signals', () => {
  verifies(
    ['d2/shutdown-step-limit'],
    'cut a shutdown off that hangs, after 30 seconds and not before',
    async () => {
      const { clock, exits, asked, signals } = scene()
      signals.endBy(reason => asked.push(reason))
      process.emit('SIGTERM', 'SIGTERM')
      await clock.advance(29_999)
      expect([asked, exits]).toEqual([['SIGTERM'], []])
      await clock.advance(1)
      expect(exits).toEqual([143])
      signals.close()
    },
  )

  test('cut nothing off that has ended in time', async () => {
    const { clock, exits, limit, signals } = scene()
    signals.endBy(() => undefined)
    process.emit('SIGINT', 'SIGINT')
    limit.close()
    signals.close()
    await clock.advance(60_000)
    expect([exits, signals.exitCode]).toEqual([[], 130])
  })

  test('do not lengthen a shutdown that a client began, and decide how it ends', async () => {
    const { clock, exits, limit, signals } = scene()
    limit.begin(() => signals.exitCode ?? 0)
    await clock.advance(20_000)
    process.emit('SIGTERM', 'SIGTERM')
    await clock.advance(10_000)
    expect(exits).toEqual([143])
    await clock.advance(60_000)
    expect(exits).toEqual([143])
    signals.close()
  })

  test('that come before there is something to shut down are not lost', () => {
    const { exits, asked, signals } = scene()
    process.emit('SIGINT', 'SIGINT')
    signals.endBy(reason => asked.push(reason))
    expect([asked, exits]).toEqual([['SIGINT'], []])
    signals.close()
  })
})
