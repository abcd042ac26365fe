import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { isAlive, processStartTime, start } from '../../src/kit/index.ts'
import { watchProcess } from '../../src/kit/process-watch.ts'
import { outputWatch, patience } from './fixture.ts'

const { env } = process

/** A shell that starts what `script` says; the ids it tells are those of its children. */
async function family(script: string) {
  const output = outputWatch()
  const leader = start('sh', ['-c', script], { env, onOutput: output.onOutput })
  const [, child] = await output.until(/child (\d+)/)
  return { ...leader, pid: leader.pid ?? 0, child: Number(child) }
}

function owner() {
  const told: string[] = []
  const own = (group: number) => {
    told.push(`own ${group}`)
    return () => void told.push(`release ${group}`)
  }
  return { told, own }
}

describe('a watch', () => {
  it('remembers whom it met, also when the leader has ended', async () => {
    const { pid, child, kill, done } = await family('setsid sleep 30 & echo child $!; wait')
    const { told, own } = owner()
    const watch = watchProcess(pid, own)
    await vi.waitFor(() => {
      watch.scan()
      expect(told).toContain(`own ${child}`)
    }, patience)
    const startTime = processStartTime(child)
    kill('enough')
    await done
    watch.scan()
    expect(watch.keys()).toContainEqual({ pid: child, startTime })
    process.kill(child, 'SIGKILL')
    await vi.waitFor(() => {
      expect(isAlive(child)).toBe(false)
      watch.scan()
      expect(watch.keys()).not.toContainEqual({ pid: child, startTime })
    }, patience)
  })

  it('tells of the leader at once, of a group when it is met, and of its end when it has no member left', async () => {
    const { told, own } = owner()
    const { pid, child, kill, done } = await family('setsid sleep 30 & echo child $!; wait; exec sleep 30')
    const watch = watchProcess(pid, own)
    expect(told).toEqual([`own ${pid}`])
    await vi.waitFor(() => {
      watch.scan()
      expect(told).toEqual([`own ${pid}`, `own ${child}`])
    }, patience)
    process.kill(child, 'SIGKILL')
    await vi.waitFor(() => {
      watch.scan()
      expect(told.at(-1)).toBe(`release ${child}`)
    }, patience)
    watch.close()
    watch.close()
    expect(told).toEqual([`own ${pid}`, `own ${child}`, `release ${child}`, `release ${pid}`])
    kill('enough')
    await done
  })

  it('never owns the group or the session that we are in ourselves', async () => {
    const { told, own } = owner()
    const shell = spawn('sh', ['-c', 'sleep 30 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [text] = await once(shell.stdout, 'data')
    const pid = shell.pid ?? 0
    const child = Number(String(text))
    const watch = watchProcess(pid, own)
    watch.scan()
    expect(watch.keys().map(name => name.pid)).toEqual([pid, child])
    expect(told).toEqual([`own ${pid}`])
    watch.close()
    for (const each of [child, pid]) process.kill(each, 'SIGKILL')
    await once(shell, 'exit')
  })

  it('knows nobody under an id that is not there', () => {
    const watch = watchProcess(2 ** 30)
    watch.scan()
    expect(watch.keys()).toEqual([{ pid: 2 ** 30 }])
    watch.close()
  })
})
