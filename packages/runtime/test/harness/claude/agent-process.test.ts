import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { type AgentProcess, startAgentProcess } from '../../../src/harness/claude/agent-process.ts'
import { createId, findMarked, isAlive, type Marker, systemClock } from '../../../src/kit/index.ts'

const graceMs = 400

/** A shell in the place of the agent program. */
function startShell(line: string, released: (leader: number) => void = () => undefined) {
  const marker: Marker = `WEAVE_EXECUTION_ID=${createId('exe')}`
  const agent = startAgentProcess({
    command: '/bin/sh',
    args: ['-c', line],
    cwd: undefined,
    env: { PATH: process.env['PATH'] ?? '', WEAVE_EXECUTION_ID: marker.slice(marker.indexOf('=') + 1) },
    marker,
    premises: '/nowhere',
    clock: systemClock,
    graceMs,
    own: leader => () => released(leader),
  })
  onTestFinished(() => agent.stop())
  return { agent, marker }
}

function firstLine({ child }: AgentProcess): Promise<string> {
  return new Promise(resolve => child.stdout.once('data', (data: Buffer) => resolve(String(data).trim())))
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = systemClock.monotonic()
  await work()
  return systemClock.monotonic() - began
}

test('one that ends with its input ends by itself', async () => {
  const released: number[] = []
  const { agent, marker } = startShell('cat >/dev/null; exit 3', leader => released.push(leader))
  expect(agent.exit).toBeUndefined()
  agent.child.stdin.end()
  await agent.leave()
  expect(agent.exit).toMatchObject({ outcome: 'exited', code: 3 })
  expect(released).toEqual([agent.child.pid])
  expect(await findMarked(marker)).toEqual([])
})

verifies(['d8/process-group'], 'it leads a process group of its own', async () => {
  const { agent } = startShell('ps -o pgid= -p $$; cat')
  expect(Number(await firstLine(agent))).toBe(agent.child.pid)
  await agent.stop()
})

verifies(
  ['d8/end-sigterm-group', 'd8/end-sigkill', 'safety/I8'],
  'one that ignores requests, is stopped or holds a pipe is gone within the grace and two seconds',
  async () => {
    const deaf = startShell("trap '' TERM; echo up; while :; do sleep 1; done")
    const halted = startShell('echo up; kill -STOP $$; cat')
    const polite = startShell("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done")
    // A process without our mark and with a session of its own keeps the pipe of the leader.
    const holding = startShell('setsid env -i /bin/sleep 60 & echo $!; exec cat')
    const all = [deaf, halted, polite, holding]
    const lines = await Promise.all(all.map(({ agent }) => firstLine(agent)))
    onTestFinished(() => {
      if (isAlive(Number(lines[3]))) process.kill(Number(lines[3]))
    })
    const times = await Promise.all(all.map(({ agent }) => timed(agent.stop)))
    for (const time of times) expect(time).toBeLessThan(graceMs + 2_000)
    expect(all.map(({ agent }) => agent.exit)).toMatchObject([
      { outcome: 'signaled', signal: 'SIGKILL' },
      { outcome: 'signaled', signal: 'SIGKILL' },
      { outcome: 'exited', code: 7 },
      { outcome: 'signaled', signal: 'SIGTERM' },
    ])
    for (const { marker } of all) expect(await findMarked(marker)).toEqual([])
  },
)

test('one that does not end with its input is stopped after the grace, or at once when it is wanted', async () => {
  const slow = startShell('echo up; exec sleep 60')
  const hurried = startShell('echo up; exec sleep 60')
  await Promise.all([firstLine(slow.agent), firstLine(hurried.agent)])
  const hurriedTime = timed(async () => {
    const left = hurried.agent.leave()
    await hurried.agent.stop()
    await left
  })
  expect(await timed(slow.agent.leave)).toBeGreaterThanOrEqual(graceMs)
  expect(slow.agent.exit).toMatchObject({ outcome: 'signaled', signal: 'SIGTERM' })
  expect(await hurriedTime).toBeLessThan(2_000)
})

test('one that was never given work is discarded without a word', async () => {
  const { agent, marker } = startShell("trap '' TERM; echo up; read -r line")
  await firstLine(agent)
  await agent.discard()
  expect(agent.exit).toMatchObject({ outcome: 'signaled', signal: 'SIGKILL' })
  expect(await findMarked(marker)).toEqual([])
})

test('keeps the end of what it says of itself', async () => {
  const { agent } = startShell('seq 1 5000 >&2; echo the last words >&2')
  await agent.leave()
  expect(agent.stderr()).toMatch(/the last words$/)
  expect(agent.stderr().length).toBeLessThanOrEqual(4_000)
})

test('what cannot be started says why', async () => {
  const dir = await tempDir()
  await writeFile(join(dir, 'not-a-program'), 'text', { mode: 0o644 })
  const started = (command: string, cwd: string) =>
    startAgentProcess({
      command,
      args: [],
      cwd,
      env: {},
      marker: 'A=1',
      premises: '/nowhere',
      clock: systemClock,
      graceMs,
      own: () => () => undefined,
    })
  const ends = [
    started(join(dir, 'missing'), dir),
    started(join(dir, 'not-a-program'), dir),
    started('/bin/true', join(dir, 'gone')),
  ].map(({ ended }) => ended)
  expect(await Promise.all(ends)).toMatchObject([
    { outcome: 'failed-to-start', error: { code: 'ENOENT' } },
    { outcome: 'failed-to-start', error: { code: 'EACCES' } },
    { error: { message: `working directory ${join(dir, 'gone')} does not exist` } },
  ])
})
