import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { isAlive, processStartTime, start } from '../../src/kit/index.ts'

describe('isAlive', () => {
  it('knows us, the first process of the system, and nobody under ids that cannot be', () => {
    expect([process.pid, 1].map(isAlive)).toEqual([true, true])
    expect([0, -1, 1.5, Number.NaN, 2 ** 30].map(isAlive)).toEqual([false, false, false, false, false])
  })

  it('does not count one that has ended and waits for its parent to scan', async () => {
    // The shell becomes a program that never scans after the child it inherits.
    const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 30'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [text] = await once(parent.stdout, 'data')
    const child = Number(String(text))
    await vi.waitFor(() => expect(isAlive(child)).toBe(false), { timeout: 5000 })
    expect(processStartTime(child)).toBeDefined()
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  })
})

describe('processStartTime', () => {
  it('is the same each time it is asked, and differs between processes', async () => {
    const before = processStartTime(process.pid)
    expect(before).toMatch(/./)
    expect(processStartTime(process.pid)).toBe(before)
    const other = start('sleep', ['30'])
    expect(processStartTime(other.pid ?? 0)).not.toBe(before)
    other.kill('enough')
    await other.done
    expect(processStartTime(other.pid ?? 0)).toBeUndefined()
  })

  it.each([0, -1, Number.NaN, 2 ** 30])('is not known for %d', pid => {
    expect(processStartTime(pid)).toBeUndefined()
  })
})
