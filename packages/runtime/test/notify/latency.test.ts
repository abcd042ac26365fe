import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { memoryLog } from '../../../../test/support/memory-log.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { startWebhookServer } from '../../../../test/support/webhook-server.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { startNotifier } from '../../src/notify/index.ts'
import { openTestJournal } from '../journal/open.ts'

const count = 100

verifies(
  ['notify/quick', 'notify/types'],
  'of 100 notifications of a run 95 arrive within a second of their events; what a target does not want is not sent',
  async () => {
    const dir = await tempDir({ inMemory: true })
    const server = await startWebhookServer()
    const journal = await openTestJournal(join(dir, 'journal'))
    const notifier = await startNotifier({
      config: {
        targets: [
          { type: 'webhook', url: server.url, on: ['run.parked'] },
          { type: 'webhook', url: `${server.url}/default` },
          { type: 'webhook', url: `${server.url}/other`, on: ['run.parked'], hanks: ['other*'] },
        ],
      },
      origin: { execution: 'e', hank: 'h' },
      notifiedFile: join(dir, 'notified.json'),
      journal,
      redactor: createRedactor([]),
      clock: systemClock,
      log: memoryLog(),
      environment: {},
      assertHeld: () => undefined,
      say: () => undefined,
      warn: () => undefined,
    })
    for (let at = 0; at < count; at++) {
      const until = new Date().toISOString()
      journal.append('run.parked', { codonId: `c${at}`, until, reason: 'x' })
      await server.until(at + 1)
    }
    const breach = { currency: 'dollars', limit: 1, used: 1, scope: 'hank', onExceeded: 'fail' } as const
    journal.append('budget.exceeded', breach)
    await notifier.close()
    await journal.close()
    const parked = server.received.filter(({ path }) => path === '/hook')
    expect(parked).toHaveLength(count)
    expect(server.received.map(({ path }) => path).slice(count)).toEqual(['/hook/default'])
    const late = parked
      .map(({ at, body }) => at - Date.parse(JSON.parse(body).timestamp))
      .sort((one, other) => one - other)
    expect(late[Math.ceil(count * 0.95) - 1]).toBeLessThanOrEqual(1_000)
  },
  120_000,
)
