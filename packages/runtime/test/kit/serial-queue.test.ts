import { expect, it } from 'vitest'
import { createSerialQueue } from '../../src/kit/index.ts'

it('runs one at a time, in order, and goes on after a failure', async () => {
  const queue = createSerialQueue()
  const seen: string[] = []
  let open: () => void = () => undefined
  const gate = new Promise<void>(resolve => {
    open = resolve
  })
  const first = queue.run(() => gate.then(() => seen.push('first')))
  const second = queue.run(() => Promise.reject(new Error('broken')))
  const third = queue.run(() => seen.push('third'))
  expect(queue.length).toBe(3)
  open()
  await expect(second).rejects.toThrow('broken')
  expect(await Promise.all([first, third])).toEqual([1, 2])
  expect(queue.length).toBe(0)
})
