import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScope } from '../../src/kit/index.ts'

describe('scope', () => {
  it('undoes in reverse, one after the other', async () => {
    const log: string[] = []
    const scope = createScope()
    scope.add('first', () => void log.push('first'))
    scope.add('second', async () => {
      log.push('second begins')
      await Promise.resolve()
      log.push('second ends')
    })
    expect(await scope.close()).toEqual([])
    expect(log).toEqual(['second begins', 'second ends', 'first'])
  })

  it('runs every undo exactly once and collects the errors, whichever of them fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('fine', 'throws', 'rejects')), async kinds => {
        const runs = kinds.map(() => 0)
        const scope = createScope()
        for (const [index, kind] of kinds.entries()) {
          scope.add(`${index}`, () => {
            runs[index] = (runs[index] ?? 0) + 1
            if (kind === 'throws') throw new Error(kind)
            return kind === 'rejects' ? Promise.reject(new Error(kind)) : undefined
          })
        }
        const failures = await scope.close()
        const failing = [...kinds.keys()].filter(index => kinds[index] !== 'fine')
        expect(failures.map(failure => Number(failure.name))).toEqual(failing.reverse())
        expect(runs.every(count => count === 1)).toBe(true)
      }),
    )
  })

  it('closes once however often it is asked, and every caller gets the failures', async () => {
    let runs = 0
    const scope = createScope()
    scope.add('bad', async () => {
      runs++
      throw new Error('no')
    })
    const [first, second] = await Promise.all([scope.close(), scope.close()])
    expect([runs, first, second]).toEqual([1, first, first])
    expect(first).toEqual([{ name: 'bad', error: new Error('no') }])
    expect(await scope.close()).toEqual(first)
  })

  it('runs an undo that comes after the close before add returns', async () => {
    const scope = createScope()
    await scope.close()
    let undone = false
    scope.add('late', () => {
      undone = true
      throw new Error('late failure')
    })
    expect(undone).toBe(true)
    expect(await scope.close()).toEqual([{ name: 'late', error: new Error('late failure') }])
  })

  it('runs an undo that comes during the close next, within that close', async () => {
    const log: string[] = []
    const scope = createScope()
    scope.add('first', () => void log.push('first'))
    scope.add('second', async () => {
      scope.add('added meanwhile', () => void log.push('added meanwhile'))
      await Promise.resolve()
      log.push('second')
    })
    await scope.close()
    expect(log).toEqual(['second', 'added meanwhile', 'first'])
  })

  it('closes at the end of an await using block and lets failures be heard', async () => {
    let undone = false
    const use = async () => {
      await using scope = createScope()
      scope.add('fine', () => {
        undone = true
      })
      scope.add('bad', () => Promise.reject(new Error('no')))
    }
    await expect(use()).rejects.toThrow('could not undo: bad')
    expect(undone).toBe(true)
  })

  it('does not throw from await using when close has already told the failures', async () => {
    const use = async () => {
      await using scope = createScope()
      scope.add('bad', () => Promise.reject(new Error('no')))
      return await scope.close()
    }
    expect(await use()).toHaveLength(1)
  })
})
