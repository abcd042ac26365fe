import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { isAlive, type Supervised, supervise } from '../../src/kit/index.ts'
import { fixture, patience } from './fixture.ts'
import { newMarker } from './marked.ts'

const { env } = process

function until({ child }: Supervised, pattern: RegExp): Promise<RegExpMatchArray> {
  return new Promise(resolve => {
    let seen = ''
    child?.stdout?.on('data', chunk => {
      seen += String(chunk)
      const match = seen.match(pattern)
      if (match) resolve(match)
    })
  })
}

/** The process group, from the text after the name in `/proc/<pid>/stat`. */
function groupOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[2])
}

function started(command: string, args: readonly string[], clock = createTestClock()) {
  const program = supervise(command, args, {
    env,
    clock,
    graceMs: 100,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return { program, clock }
}

describe('stopping', () => {
  it('asks, waits for the grace, and kills; only the first reason counts', async () => {
    const { program, clock } = started(...fixture('ignores-sigterm'))
    await until(program, /ready/)
    expect(program.stopped).toBeUndefined()
    const deaf = until(program, /deaf/)
    program.stop('first')
    program.stop('second')
    await deaf
    expect([program.stopped, clock.sleepers(), isAlive(program.pid ?? 0)]).toEqual([
      { reason: 'first' },
      1,
      true,
    ])
    await clock.advance(100)
    expect(await program.ended).toMatchObject({ outcome: 'signaled', signal: 'SIGKILL' })
    expect(clock.sleepers()).toBe(0)
  })

  it('sends nothing once the process has ended, since its id may be another one by then', async () => {
    const { program, clock } = started('true', [])
    await program.ended
    program.stop('too late')
    expect([program.stopped, clock.sleepers()]).toEqual([undefined, 0])
  })

  it('forgets the kill when the process ends within the grace', async () => {
    const { program, clock } = started('sleep', ['30'])
    program.stop('enough')
    expect(await program.ended).toMatchObject({ signal: 'SIGTERM' })
    expect(clock.sleepers()).toBe(0)
  })

  it('has nobody to stop when the program cannot be started', async () => {
    const { program } = started('/not/there', [])
    program.stop('nobody')
    expect(await program.ended).toMatchObject({ outcome: 'failed-to-start', error: { code: 'ENOENT' } })
    await Promise.all([program.sweep(), program.discard()])
  })
})

describe('the end of a process', () => {
  const stray = 'env -i HOME=/ setsid sleep 30 & echo child $!;'

  verifies(
    ['d8/end-sweep'],
    'takes along whom a scan has met, though nothing else leads there any more',
    async () => {
      const program = supervise('sh', ['-c', `cd /; ${stray} sleep 1.5`], {
        env,
        marker: newMarker(),
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const [, child] = await until(program, /child (\d+)/)
      await program.ended
      expect(isAlive(Number(child))).toBe(true)
      await program.sweep()
      expect(isAlive(Number(child))).toBe(false)
    },
  )

  it('leaves everyone but its group alone when it was given no work', async () => {
    const program = supervise('sh', ['-c', `${stray} sleep 31 & echo member $!; wait`], {
      env,
      marker: newMarker(),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [, child, member] = await until(program, /child (\d+)\nmember (\d+)/)
    await vi.waitFor(() => expect(groupOf(Number(child))).toBe(Number(child)), patience)
    await program.discard()
    expect(program.end).toMatchObject({ signal: 'SIGKILL' })
    await vi.waitFor(() => expect(isAlive(Number(member))).toBe(false), patience)
    expect(isAlive(Number(child))).toBe(true)
    process.kill(Number(child), 'SIGKILL')
  })
})

it('has pipes by number and messages, and may stay in our own group', async () => {
  const script = `process.on('message', word => { require('fs').writeSync(3, word); process.disconnect() })`
  const program = supervise(process.execPath, ['-e', script], {
    env,
    sharesGroup: true,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'ipc'],
  })
  const pipe = program.pipe(3)
  const heard = new Promise(resolve => pipe?.once('data', chunk => resolve(String(chunk))))
  program.child?.send('word')
  expect(await heard).toBe('word')
  expect(program.pipe(7)).toBeUndefined()
  expect(await program.ended).toMatchObject({ outcome: 'exited', code: 0 })
})
