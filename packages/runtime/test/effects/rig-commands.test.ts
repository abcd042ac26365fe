import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import type { RigOutput } from '../../src/effects/index.ts'
import { isAlive } from '../../src/kit/index.ts'
import { preparedWorkspace } from '../workspace/prepared-workspace.ts'
import { command, runIn } from './rig-runs.ts'

/** The letter that the system shows: R running, S asleep, T halted. */
const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2]
const untilGone = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5000 })

describe('the output of a command', () => {
  it('is told in whole lines, with the operation and the stream', async () => {
    const told: RigOutput[] = []
    const line = 'printf "ä half"; printf " line\\nsecond\\nlast, no end"; echo problem >&2'
    const outcome = await runIn(await preparedWorkspace(), [command('true'), command(line)], {
      onOutput: output => told.push(output),
    })
    expect(outcome).toMatchObject({ ok: true })
    const text = (stream: string) =>
      told.filter(output => output.stream === stream).map(output => output.text)
    expect(text('stdout').join('')).toBe('ä half line\nsecond\nlast, no end')
    expect(
      text('stdout')
        .slice(0, -1)
        .every(piece => piece.endsWith('\n')),
    ).toBe(true)
    expect(text('stderr')).toEqual(['problem\n'])
    expect(new Set(told.map(output => output.operation))).toEqual(new Set([1]))
  })

  it('may be huge: a part is kept, a part is told, and both say so', async () => {
    let told = 0
    let last = ''
    const outcome = await runIn(
      await preparedWorkspace(),
      [command("head -c 60000000 /dev/zero | tr '\\0' x")],
      {
        maxCaptureBytes: 10_000,
        onOutput: ({ text }) => {
          told += text.length
          last = text
        },
      },
    )
    const [result] = outcome.operations
    expect(result).toMatchObject({ outcome: 'succeeded', truncated: true })
    expect(result?.type === 'command' && result.stdout.length).toBeLessThan(11_000)
    expect(told).toBeGreaterThan(16 << 20)
    expect(told).toBeLessThan(17 << 20)
    expect(last).toContain('the rest is not shown')
  })

  it.each(['echo ready; sleep 30', 'printf "no line end"'])(
    'stops the command when the listener throws: %s',
    async line => {
      const error = new Error('the journal is full')
      const onOutput = () => {
        throw error
      }
      const outcome = await runIn(await preparedWorkspace(), [command(line, { allowFailure: true })], {
        onOutput,
      })
      expect(outcome).toMatchObject({ ok: false, kind: 'stopped', operation: 0 })
      expect(outcome).toHaveProperty('reason', error)
    },
  )
})

describe('stopping a command', () => {
  it('is its own outcome, with the first reason, whatever may fail', async () => {
    const controller = new AbortController()
    const operations = [command('echo ready; sleep 30', { allowFailure: true }), command('touch never')]
    const workspace = await preparedWorkspace()
    const outcome = await runIn(workspace, operations, {
      signal: controller.signal,
      ignoreFailures: true,
      onOutput: () => {
        controller.abort('first')
        controller.abort('second')
      },
    })
    expect(outcome).toMatchObject({
      ok: false,
      kind: 'stopped',
      operation: 0,
      reason: 'first',
      operations: [{ outcome: 'stopped', exit: { type: 'killed', signal: 'SIGTERM' }, stdout: 'ready\n' }],
    })
    expect(existsSync(join(workspace.agentRoot, 'never'))).toBe(false)
  })

  it.each([
    ['that ignores SIGTERM', 'trap "" TERM; echo $$; while :; do sleep 1; done', /^[RSD]$/],
    ['that was halted', 'echo $$; kill -STOP $$; sleep 30', /^T$/],
  ])('kills one %s after five seconds', async (_what, line, state) => {
    const clock = createTestClock()
    const controller = new AbortController()
    const told: string[] = []
    const running = runIn(await preparedWorkspace(), [command(line)], {
      signal: controller.signal,
      clock,
      onOutput: ({ text }) => told.push(text),
    })
    const pid = await vi.waitFor(() => {
      expect(told).toHaveLength(1)
      return Number(told[0])
    })
    await vi.waitFor(() => expect(stateOf(pid)).toMatch(state))
    controller.abort('stop')
    await clock.untilSleepers(1)
    await clock.advance(4999)
    expect(isAlive(pid)).toBe(true)
    await clock.advance(1)
    expect(await running).toMatchObject({
      ok: false,
      kind: 'stopped',
      operations: [{ exit: { type: 'killed', signal: 'SIGKILL' } }],
    })
    await untilGone(pid)
  })

  it.each([
    ['in its group, holding its output', 'sh -c "echo \\$\\$ > pid; exec sleep 60" &'],
    ['in a session of its own', 'setsid sh -c "echo \\$\\$ > pid; exec sleep 60" &'],
  ])('ends what the command left running %s', async (_where, line) => {
    const workspace = await preparedWorkspace()
    const outcome = await runIn(workspace, [command(`${line} while [ ! -s pid ]; do :; done; echo done`)])
    expect(outcome).toMatchObject({ ok: true, operations: [{ stdout: 'done\n' }] })
    await untilGone(Number(await readFile(join(workspace.agentRoot, 'pid'), 'utf8')))
  })
})
