import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createRedactor, silentLog } from '../../src/kit/index.ts'
import { startLiveTraces } from '../../src/otel/live.ts'
import { executionLayout } from '../../src/workspace/index.ts'

/** A thread with this program instead of the one that sends spans, and what was written into the log of the run. */
function tracesBy(program: string) {
  const dir = mkdtempSync(join(tmpdir(), 'weave-traces-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'thread.cjs')
  writeFileSync(file, program)
  const warnings: string[] = []
  const clock = createTestClock()
  const traces = startLiveTraces({
    entry: { file },
    journal: { lastSeq: 0, subscribe: () => () => undefined },
    settings: { enabled: true, metrics: false, names: '1.41', content: 'none' },
    executionId: 'evt_1',
    rehearsal: false,
    layout: executionLayout(dir),
    weaveVersion: '0.0.0',
    redactor: createRedactor([]),
    clock,
    log: { ...silentLog, warn: (_, message) => void warnings.push(message) },
    environment: {},
    assertHeld: () => undefined,
  })
  return { traces, warnings, clock }
}

test('a thread that does not come to its end in time is ended, and that spans are missing is said', async () => {
  const { traces, warnings, clock } = tracesBy('setInterval(() => undefined, 1_000)')
  const closed = traces.close()
  await clock.untilSleepers(1)
  await clock.advance(6_000)
  await closed
  expect(warnings).toEqual([
    'some spans were not sent: there was no time left; weave export --otlp sends them',
  ])
})

test('nothing is said of one that has sent all', async () => {
  const { traces, warnings } = tracesBy(
    `const { parentPort } = require('node:worker_threads')
     parentPort.on('message', () => parentPort.postMessage({ type: 'closed' }))`,
  )
  await traces.close()
  expect(warnings).toEqual([])
})
