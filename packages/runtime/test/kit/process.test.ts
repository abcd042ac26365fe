import { existsSync, realpathSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { findMarked, isAlive, type ProcessOptions, run, start } from '../../src/kit/index.ts'
import { fixture, outputWatch, type Program, waits } from './fixture.ts'
import { newMarker } from './marked.ts'
import { tempDir } from './temp-dir.ts'

const { env } = process

function startWatched(program: Program, options: ProcessOptions = {}) {
  const watch = outputWatch()
  return {
    ...start(...program, { env, onOutput: watch.onOutput, ...options }),
    until: watch.until,
  }
}

const untilGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5000 })

describe('a process that ends by itself', () => {
  it.each([0, 3])('tells its code %d and what it wrote', async code => {
    const result = await run(...fixture('reports-itself', `${code}`), { env })
    expect(result).toMatchObject({
      outcome: 'exited',
      code,
      signal: null,
      stderr: 'to stderr',
      truncated: false,
    })
    expect(result).not.toHaveProperty('stopped')
    expect(result).not.toHaveProperty('error')
    expect(result.durationMs).toBeGreaterThan(0)
  })

  it('gets the working directory and the environment it was given, and nothing else', async () => {
    await using dir = await tempDir()
    const result = await run(...fixture('reports-itself', '0'), { cwd: dir.path, env: { ONLY: 'this' } })
    const { __CF_USER_TEXT_ENCODING, ...seen } = JSON.parse(result.stdout).env
    expect([seen, JSON.parse(result.stdout).cwd]).toEqual([{ ONLY: 'this' }, realpathSync(dir.path)])
  })

  it('finds its input closed, or reads what it is given', async () => {
    const empty = await run(...fixture('reports-itself', '0'))
    expect(JSON.parse(empty.stdout).input).toBe('')
    const given = await run(...fixture('reports-itself', '0'), { input: 'two\nlines €' })
    expect(JSON.parse(given.stdout).input).toBe('two\nlines €')
  })

  it('may leave a large input unread', async () => {
    const result = await run('true', [], { input: Buffer.alloc(5 << 20) })
    expect(result).toMatchObject({ outcome: 'exited', code: 0 })
  })

  it('tells the signal that ended it', async () => {
    const result = await run('sh', ['-c', 'kill -USR1 $$'])
    expect(result).toMatchObject({ outcome: 'signaled', code: null, signal: 'SIGUSR1' })
    expect(result).not.toHaveProperty('stopped')
  })

  it('does not count as stopped by what comes too late', async () => {
    const controller = new AbortController()
    const process = start('true', [], { signal: controller.signal, timeoutMs: 60_000 })
    await process.done
    process.kill('late')
    controller.abort('late')
    expect(await process.done).not.toHaveProperty('stopped')
  })
})

describe('a process that cannot start', () => {
  it.each<[string, string, readonly string[], ProcessOptions, object]>([
    ['the program is missing', 'no-such-program', [], {}, { code: 'ENOENT' }],
    ['the program is a directory', '/', [], {}, { code: 'EACCES' }],
    ['an argument holds a NUL', 'true', ['\0'], {}, { code: 'ERR_INVALID_ARG_VALUE' }],
    [
      'the working directory is missing',
      'true',
      [],
      { cwd: '/no/such/dir' },
      { code: 'ENOENT', message: 'working directory /no/such/dir does not exist' },
    ],
  ])('is a result: %s', async (_why, command, args, options, error) => {
    const process = start(command, args, options)
    expect(process.pid).toBeUndefined()
    process.kill('no effect')
    expect(await process.done).toMatchObject({ outcome: 'failed-to-start', code: null, signal: null, error })
  })

  it('is not started when the signal is aborted before', async () => {
    await using dir = await tempDir()
    const result = await run('touch', [dir.file('trace')], { env, signal: AbortSignal.abort('no') })
    expect(result).toMatchObject({ outcome: 'failed-to-start', stopped: { reason: 'no' } })
    expect(existsSync(dir.file('trace'))).toBe(false)
  })
})

describe('stopping a process', () => {
  it('asks it politely, with the reason of the abort', async () => {
    const controller = new AbortController()
    const process = startWatched(waits, { signal: controller.signal })
    await process.until(/ready/)
    const reason = { why: 'skip' }
    controller.abort(reason)
    const result = await process.done
    expect(result).toMatchObject({ outcome: 'signaled', signal: 'SIGTERM' })
    expect(result.stopped?.reason).toBe(reason)
  })

  it('keeps the first of several reasons', async () => {
    const controller = new AbortController()
    const process = startWatched(waits, { signal: controller.signal })
    await process.until(/ready/)
    process.kill('first')
    controller.abort('second')
    process.kill('third')
    expect((await process.done).stopped).toEqual({ reason: 'first' })
  })

  it('happens at the timeout', async () => {
    const clock = createTestClock()
    const process = startWatched(waits, { clock, timeoutMs: 1000 })
    await process.until(/ready/)
    await clock.advance(999)
    expect(isAlive(process.pid ?? 0)).toBe(true)
    await clock.advance(1)
    expect(await process.done).toMatchObject({
      signal: 'SIGTERM',
      stopped: { reason: 'timeout' },
      durationMs: 1000,
    })
  })

  verifies(['d8/end-sigkill'], 'kills one that ignores SIGTERM, after the grace and not before', async () => {
    const clock = createTestClock()
    const process = startWatched(fixture('ignores-sigterm'), { clock })
    await process.until(/ready/)
    process.kill('enough')
    await process.until(/deaf/)
    await clock.advance(4999)
    expect(isAlive(process.pid ?? 0)).toBe(true)
    await clock.advance(1)
    expect(await process.done).toMatchObject({
      outcome: 'signaled',
      signal: 'SIGKILL',
      stopped: { reason: 'enough' },
    })
  })

  it('kills one that is suspended and so cannot even hear it', async () => {
    const process = startWatched(fixture('ignores-sigterm'), { graceMs: 50 })
    await process.until(/ready/)
    globalThis.process.kill(process.pid ?? 0, 'SIGSTOP')
    process.kill('enough')
    expect(await process.done).toMatchObject({ outcome: 'signaled', signal: 'SIGKILL' })
  })

  verifies(
    ['safety/I8'],
    'takes no longer than the grace and two seconds when it is deaf, stopped, or leaves one that holds its pipes',
    async () => {
      const graceMs = 300
      const deaf = fixture('ignores-sigterm')
      const [node, [leavesChild]] = fixture('leaves-child')
      const holder: Program = ['sh', ['-c', `"${node}" "${leavesChild}" session; echo ready; sleep 30`]]
      const markers = [newMarker(), newMarker(), newMarker()]
      const agents = [deaf, deaf, holder].map((program, at) =>
        startWatched(program, { graceMs, marker: markers[at] ?? newMarker() }),
      )
      await Promise.all(agents.map(agent => agent.until(/ready/)))
      globalThis.process.kill(agents[1]?.pid ?? 0, 'SIGSTOP')
      const marked = (await Promise.all(markers.map(findMarked))).flat()
      expect(marked.length).toBeGreaterThan(agents.length)
      const before = performance.now()
      for (const agent of agents) agent.kill('enough')
      await Promise.all(agents.map(agent => agent.done))
      expect(performance.now() - before).toBeLessThan(graceMs + 2000)
      expect(marked.filter(isAlive)).toEqual([])
    },
  )

  it('reports a normal end when it ends normally on SIGTERM', async () => {
    const watch = outputWatch()
    const process = start('sh', ['-c', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.01; done'], {
      env,
      onOutput: watch.onOutput,
    })
    await watch.until(/ready/)
    process.kill('enough')
    expect(await process.done).toMatchObject({ outcome: 'exited', code: 7, stopped: { reason: 'enough' } })
  })

  verifies(['d8/end-sigterm-group'], 'reaches the whole group', async () => {
    const watch = outputWatch()
    const process = start('sh', ['-c', 'sleep 30 & echo child $!; wait'], { env, onOutput: watch.onOutput })
    const [, child] = await watch.until(/child (\d+)/)
    process.kill('enough')
    await process.done
    await untilGone(Number(child))
  })

  it('happens when a listener throws, with its error as the reason', async () => {
    const error = new Error('bad listener')
    const onOutput = () => {
      throw error
    }
    const result = await run(...waits, { env, onOutput })
    expect(result.stopped?.reason).toBe(error)
    expect(result.stdout).toBe('ready\n')
  })
})

describe('what a process leaves behind', () => {
  it('is killed when it is in the group, though the process ended well', async () => {
    const process = startWatched(fixture('leaves-child', 'group'))
    const [, child] = await process.until(/child (\d+)/)
    expect(await process.done).toMatchObject({ outcome: 'exited', code: 0 })
    await untilGone(Number(child))
  })

  it('does not hold up the result when it holds the pipes in a session of its own', async () => {
    const process = startWatched(fixture('leaves-child', 'session'))
    const [, child] = await process.until(/child (\d+)/)
    const before = performance.now()
    expect(await process.done).toMatchObject({ outcome: 'exited', code: 0, stdout: `child ${child}\n` })
    expect(performance.now() - before).toBeLessThan(10_000)
    expect(isAlive(Number(child))).toBe(true)
    globalThis.process.kill(Number(child), 'SIGKILL')
  })

  verifies(['d8/end-sweep'], 'is found by its marker wherever it went', async () => {
    const marker = newMarker()
    const process = startWatched(fixture('leaves-child', 'session'), { marker })
    const [, child] = await process.until(/child (\d+)/)
    await process.done
    expect(isAlive(Number(child))).toBe(false)
    expect(await findMarked(marker)).toEqual([])
  })

  it('is killed in the end when it ignores SIGTERM', async () => {
    const watch = outputWatch()
    const [node, [script]] = fixture('ignores-sigterm')
    const process = start('sh', ['-c', `"${node}" "${script}" & echo child $!; wait`], {
      env,
      onOutput: watch.onOutput,
    })
    const [, child] = await watch.until(/child (\d+).*ready/s)
    process.kill('enough')
    expect(await process.done).toMatchObject({ signal: 'SIGTERM' })
    await untilGone(Number(child))
  })
})

describe('output', () => {
  it('of 50 MB is kept to the cap, beginning and end', async () => {
    let bytes = 0
    const result = await run(...fixture('writes-much', '50'), {
      env,
      maxCaptureBytes: 1000,
      onBytes: (_stream, chunk) => {
        bytes += chunk.length
      },
    })
    expect(bytes).toBe(50 * (1 << 20) + 'BEGIN\nEND\n'.length)
    expect(result).toMatchObject({ outcome: 'exited', code: 0, truncated: true })
    expect(result.stdout).toMatch(/^BEGIN\n.*bytes left out.*END\n$/s)
    expect(result.stdout.length).toBeLessThan(1050)
  })

  it('is complete, also what was written right before the end of many at once', async () => {
    const script = 'head -c 300000 /dev/zero | tr "\\0" x; echo END'
    const runs = Array.from({ length: 8 }, () => run('sh', ['-c', script], { env }))
    for (const result of await Promise.all(runs)) expect(result.stdout).toBe(`${'x'.repeat(300_000)}END\n`)
  })

  it('comes as text while the process runs, told apart by stream', async () => {
    const seen: [string, string][] = []
    const script = 'printf "\\342\\202"; printf err >&2; printf "\\254!"'
    const result = await run('sh', ['-c', script], { onOutput: (stream, text) => seen.push([stream, text]) })
    const of = (stream: string) => seen.filter(([name]) => name === stream).map(([, text]) => text)
    expect([of('stdout').join(''), of('stderr').join('')]).toEqual(['€!', 'err'])
    expect([result.stdout, result.stderr]).toEqual(['€!', 'err'])
  })
})

it('starts no shell: arguments arrive as they are', async () => {
  const odd = ['$HOME', '; echo', '"', "'", '*', '']
  const result = await run('printf', ['%s|', ...odd])
  expect(result.stdout).toBe(odd.map(argument => `${argument}|`).join(''))
})
