import { expect, test } from 'vitest'
import { event } from './observed-events.ts'
import { attachment, scene } from './scene.ts'

/** What this process has computed, in microseconds: unlike the clock, it does not count what other programs do. */
function computed(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('twenty sentinels on everything cost a few microseconds an event', async () => {
  const all = Array.from({ length: 20 }, (_, n) =>
    attachment({
      id: `s-${n}`,
      trigger: { type: 'event', on: ['*'] },
      execution: { strategy: 'debounce', milliseconds: 300_000 },
    }),
  )
  const { load, told } = await scene(all)
  const attached = await load()
  const events = Array.from({ length: 1_000 }, (_, n) =>
    event('tool.result', { toolName: 'Bash', result: `line ${n}` }),
  )
  const route = () => {
    for (const one of events) attached.route(one)
  }
  for (let n = 0; n < 5; n++) route()
  const rounds = 20
  const microseconds = computed(() => {
    for (let n = 0; n < rounds; n++) route()
  })
  await attached.finish({ reason: 'shutdown' })
  expect(told.filter(({ type }) => type === 'sentinel.triggered')).toEqual([])
  expect(microseconds / (rounds * events.length)).toBeLessThan(25)
})

test('a condition that does not hold costs next to nothing', async () => {
  const conditions = [{ operator: 'matches', path: 'result', value: '(?i)error|failed' }]
  const all = Array.from({ length: 20 }, (_, n) =>
    attachment({ id: `s-${n}`, trigger: { type: 'event', on: ['tool.result'], conditions } }),
  )
  const { load } = await scene(all)
  const attached = await load()
  const quiet = event('assistant.action', { content: 'x'.repeat(1_000) })
  const microseconds = computed(() => {
    for (let n = 0; n < 20_000; n++) attached.route(quiet)
  })
  await attached.finish({ reason: 'shutdown' })
  expect(microseconds / 20_000).toBeLessThan(5)
})
