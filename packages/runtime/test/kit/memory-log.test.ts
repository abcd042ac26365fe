import { expect, it } from 'vitest'
import { memoryLog } from '../../../../test/support/memory-log.ts'

it('a memory log keeps entries in order', () => {
  const log = memoryLog()
  log.warn('T', 'first', { a: 1 })
  log.together(() => log.debug('T', 'second'))
  expect(log.entries).toEqual([
    { level: 'warn', tag: 'T', message: 'first', fields: { a: 1 } },
    { level: 'debug', tag: 'T', message: 'second' },
  ])
})
