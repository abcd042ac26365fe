import { expect, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { type Activity, createActivities, during } from '../../src/execution/activity.ts'

function scene() {
  const clock = createTestClock()
  const heard: Activity[] = []
  const activities = createActivities(clock)
  activities.listen(activity => void heard.push(activity))
  return { clock, heard, activities }
}

test('what is over in a moment is not worth a word', async () => {
  const { heard, activities } = scene()
  await during(activities, { phase: 'pack', text: 'packing' }, async () => undefined)
  expect(heard).toEqual([])
})

test('what lasts is told once a second as it stands, and once more when it is over', async () => {
  const { clock, heard, activities } = scene()
  const step = { phase: 'checkpoint', codonId: 'draft', text: 'scanning' } as const
  await during(activities, step, async activity => {
    await clock.advance(1_000)
    activity.update({ text: 'storing', done: 1, total: 9 })
    activity.update({ done: 4 })
    await clock.advance(2_000)
  })
  await clock.advance(10_000)
  const storing = { ...step, text: 'storing', done: 4, total: 9 }
  expect(heard).toEqual([step, storing, storing, { ...storing, over: true }])
})

test('work that fails ends its activity, too', async () => {
  const { clock, heard, activities } = scene()
  const work = during(activities, { phase: 'restore', text: 'back' }, async () => {
    await clock.advance(1_000)
    throw new Error('disk')
  })
  await expect(work).rejects.toThrow('disk')
  expect(heard.at(-1)?.over).toBe(true)
})
