import { expect, it } from 'vitest'
import { silentLog } from '../../src/kit/index.ts'

it('a silent log takes everything and keeps nothing', () => {
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    expect(silentLog[level]('T', 'message')).toBeUndefined()
  }
  let isDone = false
  silentLog.together(() => {
    isDone = true
  })
  expect(isDone).toBe(true)
})
