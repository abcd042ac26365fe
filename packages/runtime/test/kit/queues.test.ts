import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAsyncQueue } from '../../src/kit/index.ts'

describe('inbox', () => {
  it('hands out items in order, whether they come before the take or after', async () => {
    const inbox = createAsyncQueue<number>()
    inbox.put(1)
    inbox.put(2)
    expect(inbox.size).toBe(2)
    expect([await inbox.take(), await inbox.take()]).toEqual([1, 2])
    const waiting = inbox.take()
    inbox.put(3)
    expect([await waiting, inbox.size]).toEqual([3, 0])
  })

  it('throws on a second take while one is waiting', async () => {
    const inbox = createAsyncQueue<number>()
    const first = inbox.take()
    expect(() => inbox.take()).toThrow('second take')
    inbox.put(1)
    expect(await first).toBe(1)
  })

  it('allows a take right after an item woke the one before', async () => {
    const inbox = createAsyncQueue<number>()
    const first = inbox.take()
    inbox.put(1)
    const second = inbox.take()
    inbox.put(2)
    expect([await first, await second]).toEqual([1, 2])
  })

  it('ends a waiting take with undefined when closed, and refuses what comes later', async () => {
    const inbox = createAsyncQueue<number>()
    const waiting = inbox.take()
    inbox.close()
    inbox.close()
    expect(await waiting).toBeUndefined()
    expect(inbox.put(1)).toBe(false)
    expect(await inbox.take()).toBeUndefined()
  })

  it('still hands out what was put before the close', async () => {
    const inbox = createAsyncQueue<number>()
    inbox.put(1)
    inbox.close()
    expect([await inbox.take(), await inbox.take()]).toEqual([1, undefined])
  })

  it('loses nothing when a take is aborted', async () => {
    const inbox = createAsyncQueue<number>()
    const controller = new AbortController()
    const waiting = inbox.take(controller.signal)
    controller.abort('stop')
    await expect(waiting).rejects.toBe('stop')
    inbox.put(1)
    await expect(inbox.take(controller.signal)).rejects.toBe('stop')
    expect(await inbox.take(new AbortController().signal)).toBe(1)
  })

  it('ignores an abort that comes after the item', async () => {
    const inbox = createAsyncQueue<number>()
    const controller = new AbortController()
    const waiting = inbox.take(controller.signal)
    inbox.put(1)
    controller.abort('late')
    expect(await waiting).toBe(1)
  })

  it('behaves like a plain list for any order of puts and takes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 200 }), async puts => {
        const inbox = createAsyncQueue<number>()
        const model: number[] = []
        for (const [step, isPut] of puts.entries()) {
          if (isPut) {
            inbox.put(step)
            model.push(step)
          } else if (model.length > 0) {
            expect(await inbox.take()).toBe(model.shift())
          }
          expect(inbox.size).toBe(model.length)
        }
      }),
    )
  })

  it('takes a hundred thousand queued items in linear time', async () => {
    const inbox = createAsyncQueue<number>()
    for (let item = 0; item < 100_000; item++) inbox.put(item)
    const before = performance.now()
    for (let item = 0; item < 100_000; item++) await inbox.take()
    expect(performance.now() - before).toBeLessThan(3000)
  })
})
