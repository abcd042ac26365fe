import { describe, expect, it, vi } from 'vitest'
import { createId } from '../../src/kit/index.ts'

describe('createId', () => {
  it('makes a million ids that differ and sort in the order of their making', () => {
    // Strictly ascending: no two are equal.
    let wrong = 0
    let last = createId('evt')
    for (let made = 0; made < 1_000_000; made++) {
      const next = createId('evt')
      if (next <= last) wrong++
      last = next
    }
    expect(wrong).toBe(0)
  })

  it('uses the prefix and characters that are safe in a URL and in a file name', () => {
    for (let made = 0; made < 1000; made++) expect(createId('run')).toMatch(/^run_[0-9a-v]{23}$/)
  })

  it('sorts by time across processes: the time stands first', () => {
    const time = createId('x').slice(2, 11)
    expect(Math.abs(Number.parseInt(time, 32) - Date.now())).toBeLessThan(5000)
  })

  it('keeps the order when the wall clock goes back', () => {
    const before = createId('x')
    const real = Date.now()
    const now = vi.spyOn(Date, 'now').mockReturnValue(real - 3_600_000)
    const after = createId('x')
    now.mockRestore()
    expect(after > before).toBe(true)
  })

  it('costs well under half a microsecond', () => {
    const microseconds = () => {
      const before = performance.now()
      for (let made = 0; made < 4096; made++) createId('evt')
      return ((performance.now() - before) * 1000) / 4096
    }
    // The best of many short rounds: other work shares the machine.
    expect(Math.min(...Array.from({ length: 100 }, microseconds))).toBeLessThan(0.5)
  })
})
