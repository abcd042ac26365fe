import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { emptyState } from '@weave/protocol'
import { onTestFinished } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createActivities } from '../../src/execution/activity.ts'
import { openEffects } from '../../src/execution/effects.ts'
import type { Harness, HarnessEvent } from '../../src/harness/index.ts'
import { openJournal, type RecordedEvent } from '../../src/journal/index.ts'
import { createRedactor } from '../../src/kit/index.ts'
import type { Plan } from '../../src/plan/index.ts'
import { createRecorder, startRunner } from '../../src/runner/index.ts'
import { executionLayout } from '../../src/workspace/index.ts'
import { sandboxEntry } from '../sentinel/sandboxes.ts'
import { haiku } from '../sentinel/scene.ts'

/** What the agent of an observed run does: it works, is quiet until it is let go, and ends well. */
export type Work = (workspace: string) => Iterable<HarnessEvent>

export interface ObservedRun {
  readonly events: readonly RecordedEvent[]
  /** How often each sentinel asked its model; health checks do not count. */
  calls(sentinelId: string): number
  /** Lets so much time pass, and what happens in it come to rest. `false`: it did not. */
  pass(ms: number): Promise<boolean>
  /** Lets the agent end; resolves with the end of the run. */
  end(): Promise<void>
}

export interface ObservedOptions {
  readonly plan: (hankDir: string) => Plan
  readonly work: Work
  /** No run that comes to rest asks so often. */
  readonly mostCalls: number
}

/**
 * One codon with its sentinels: the real runner, journal, workspace, checkpoints and sentinels. The agent is scripted, the
 * model a server on loopback that always says the same, the clock is moved by hand.
 */
export async function observe({ plan: planIn, work, mostCalls }: ObservedOptions): Promise<ObservedRun> {
  const dir = await tempDir({ inMemory: true })
  const layout = executionLayout(dir)
  for (const one of [layout.agentRoot, layout.internals, layout.sentinels])
    mkdirSync(one, { recursive: true })
  const model = await startModel()
  const clock = createTestClock()
  const redactor = createRedactor([])
  const journal = await openJournal({ dir: layout.journal, clock, redactor })
  const events: RecordedEvent[] = []
  journal.subscribe(({ event }) => void events.push(event))
  const recorder = createRecorder(journal, redactor, emptyState)
  const agent = createQuietAgent(work)
  const plan = planIn(dir)
  const opened = await openEffects({
    plan,
    layout,
    journal,
    recorder,
    serverId: 'srv_test',
    activities: createActivities(clock),
    assertHeld: () => undefined,
    own: () => () => undefined,
    clock,
    environment: { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: model.url },
    agents: {
      harnessFor: () => agent.harness,
      priceOf: () => undefined,
      proxyUrl: () => undefined,
    },
    redactor,
    sentinels: {
      settings: { enablePersistence: true, healthCheckGracePeriodMs: 0, waitForAllHealthChecks: false },
      sandboxEntry: await sandboxEntry(),
      modelOf: () => haiku,
      keyFor: id => id,
    },
    files: {
      outputDirectory: join(dir, 'results'),
      overwriteOutput: false,
      ignoreRigFailures: false,
    },
    runId: () => 'run_test',
  })
  if (!opened.ok) throw new Error(opened.message)
  const { effects } = opened
  const runner = startRunner({ plan, journal, recorder, effects, clock, headless: true, autostart: true })
  onTestFinished(async () => {
    agent.letGo()
    runner.shutdown('end of the test')
    await runner.done
    await opened.close()
    await journal.close()
    model.close()
  })

  /** Triggers that were told and whose answer was not. */
  const underWay = (): number =>
    count(events, 'sentinel.triggered') - count(events, 'sentinel.output') - count(events, 'sentinel.error')

  async function rest(): Promise<boolean> {
    let quietTurns = 0
    while (quietTurns < turnsOfRest) {
      if (model.total() > mostCalls) return false
      const before = journal.lastSeq
      if (quietTurns === 0) await effects.files.settleFiles()
      await setImmediate()
      quietTurns = underWay() === 0 && journal.lastSeq === before ? quietTurns + 1 : 0
    }
    return true
  }

  await agent.isQuiet
  return {
    events,
    calls: model.calls,
    async pass(ms) {
      await clock.advance(ms)
      return rest()
    },
    async end() {
      agent.letGo()
      await runner.done
    },
  }
}

/** From an event to a trigger that is told there are fewer turns of the event loop. */
const turnsOfRest = 40

function count(events: readonly RecordedEvent[], type: RecordedEvent['type']): number {
  return events.filter(event => event.type === type).length
}

function createQuietAgent(work: Work) {
  let letGo: () => void = () => undefined
  let quiet: () => void = () => undefined
  const released = new Promise<void>(resolve => {
    letGo = resolve
  })
  const isQuiet = new Promise<void>(resolve => {
    quiet = resolve
  })
  const harness: Harness = {
    async *start({ cwd }, signal) {
      yield { type: 'session', sessionId: 'ses_test' }
      yield* work(cwd)
      quiet()
      await Promise.race([released, once(signal, 'abort')])
      if (signal.aborted)
        yield {
          type: 'ended',
          end: {
            ok: false,
            exit: { type: 'killed', signal: 'SIGTERM' },
            reason: { type: 'unknown', retriable: false },
          },
        }
      else yield { type: 'ended', end: { ok: true } }
    },
  }
  return { harness, letGo, isQuiet }
}

const answer = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: haiku.id,
  content: [{ type: 'text', text: 'seen' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 100, output_tokens: 10 },
})

/** Knows who asks by the key. */
async function startModel() {
  const asked = new Map<string, number>()
  let total = 0
  const note = async (request: IncomingMessage): Promise<void> => {
    const key = String(request.headers['x-api-key'])
    if ((await bodyOf(request)).includes('Reply with the word ok.')) return
    asked.set(key, (asked.get(key) ?? 0) + 1)
    total++
  }
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    void note(request).then(() => response.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: (key: string) => asked.get(key) ?? 0,
    total: () => total,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
