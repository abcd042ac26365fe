import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { openSessionLog } from '../../src/workspace/index.ts'
import { codonPlan, planOf } from './plans.ts'
import { startScenario } from './scenario.ts'

const size = 100 << 20

verifies(
  ['safety/I18'],
  'a tool that says 100 MB does not hold up the event loop for half a second',
  async () => {
    const output = 'All work and no play makes a dull agent. '.repeat(Math.ceil(size / 41))
    const redactor = createRedactor([{ name: 'KEY', value: 'a-secret-that-is-nowhere' }])
    const longest = watchLoop()
    const scenario = await startScenario({
      plan: planOf(codonPlan('a')),
      effects: {
        sessionLog: () =>
          openSessionLog({
            path: join(scenario.dir, 'session.jsonl'),
            redactor,
            onFailure: message => expect.fail(message),
          }),
        harnessFor: () => ({
          async *start({ onRaw }) {
            yield { type: 'session', sessionId: 's1' }
            onRaw({ type: 'user', message: { content: [{ type: 'tool_result', content: output }] } })
            yield { type: 'tool-result', id: 't', name: 'Bash', output, isError: false, durationMs: 3 }
            yield { type: 'ended', end: { ok: true } }
          },
        }),
      },
    })
    await scenario.runner.done
    const { waited, worked } = longest()
    expect(Math.min(waited, worked)).toBeLessThan(500)
    expect(scenario.told('tool.result')).toMatchObject([{ truncated: true, originalLength: output.length }])
    expect(statSync(join(scenario.dir, 'session.jsonl')).size).toBeGreaterThan(1000)
  },
  120_000,
)

/** How long the loop had no turn at most: by the clock, and by the time that the process worked. */
function watchLoop(): () => { readonly waited: number; readonly worked: number } {
  const period = 5
  const longest = { waited: 0, worked: 0 }
  let last = moment()
  const look = (): void => {
    const now = moment()
    longest.waited = Math.max(longest.waited, now.clock - last.clock - period)
    longest.worked = Math.max(longest.worked, now.work - last.work)
    last = now
  }
  const timer = setInterval(look, period)
  return () => {
    look()
    clearInterval(timer)
    return longest
  }
}

function moment() {
  const { user, system } = process.cpuUsage()
  return { clock: performance.now(), work: (user + system) / 1000 }
}
