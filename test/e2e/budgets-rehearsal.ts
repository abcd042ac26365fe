import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JournaledEvent, WeaveState } from '@weave/protocol'
import { type Prepared, prepare } from '../../packages/runtime/src/check/prepare.ts'
import { startExecution } from '../../packages/runtime/src/execution/start.ts'
import { hankHash } from '../../packages/runtime/src/hank/index.ts'
import { systemClock } from '../../packages/runtime/src/kit/index.ts'
import { createRehearsal, type RehearsalScript } from '../../packages/runtime/src/model-server/index.ts'
import { findModel, redirectProviders } from '../../packages/runtime/src/models/index.ts'
import type { Plan } from '../../packages/runtime/src/plan/index.ts'
import type { RunnerEnd } from '../../packages/runtime/src/runner/index.ts'
import { noDataHash, openExecution } from '../../packages/runtime/src/workspace/index.ts'
import { startRecordedServer } from '../../packages/runtime/test/model-server/recorded-server.ts'
import { launcher } from '../support/weave-command.ts'
import type { RandomHank } from './budgets-hanks.ts'

/** What became of a hank in which only the model was a script. */
export interface Rehearsed {
  readonly plan: Plan
  readonly end: RunnerEnd
  readonly events: readonly JournaledEvent[]
  readonly state: WeaveState
  /** By runtime id, how many answers the model was asked for. */
  readonly asked: ReadonlyMap<string, number>
}

/** Runs a hank in this process: both SDKs, their tools and processes, journal and checkpoints are real. */
export async function rehearsed(dir: string, { hank, calls }: RandomHank): Promise<Rehearsed> {
  writeFileSync(join(dir, 'hank.json'), JSON.stringify(hank, null, 2))
  const asked = new Map<string, number>()
  const rehearsal = createRehearsal({ script: scriptOf(calls), strict: false })
  const owners = new Map(Object.keys(calls).map(id => [rehearsal.keyFor(id), id]))
  let workspace: string | undefined
  const server = await startRecordedServer({
    clock: systemClock,
    cwdOf: () => workspace,
    respond(request) {
      const id = owners.get(request.key)
      if (id !== undefined && request.tools.length > 0) asked.set(id, (asked.get(id) ?? 0) + 1)
      return rehearsal.respond(request)
    },
  })
  try {
    const environment = redirectProviders(process.env, { url: server.url, key: rehearsal.nobodysKey })
    const prepared = await prepare({
      hank: dir,
      flags: [],
      skipSelfTest: true,
      environment,
      workingDirectory: dir,
      home: dir,
    })
    const { plan } = prepared
    if (!prepared.ok || !plan) throw new Error(JSON.stringify(prepared.problems))
    const opened = await open(prepared, dir)
    workspace = opened.layout.agentRoot
    const events: JournaledEvent[] = []
    const keyed = (runtimeId: string, env: Readonly<Record<string, string>>) =>
      redirectProviders(env, { url: server.url, key: rehearsal.keyFor(runtimeId) })
    const started = await startExecution({
      ...settingsOf(prepared, dir),
      opened,
      plan,
      environment,
      environmentFor: keyed,
      onEvent: ({ event }) => void events.push(event),
    })
    if (!started.ok || !started.execution) throw new Error(JSON.stringify(started))
    const { execution } = started
    const end = await execution.runner.done
    const state = execution.state()
    await execution.close()
    return { plan, end, events, state, asked }
  } finally {
    await server.close()
  }
}

/** Every answer but the last writes a file of its own, so that the agent asks again. */
function scriptOf(calls: RandomHank['calls']): RehearsalScript {
  const steps = Object.entries(calls).map(([id, charges]) => [
    id,
    charges.map((usage, at) =>
      at === charges.length - 1
        ? { say: 'Done.', usage }
        : { use: 'write' as const, input: { path: `${id.replace('#', '-')}-${at}.md`, content: id }, usage },
    ),
  ])
  return { codons: Object.fromEntries(steps) }
}

async function open({ loaded }: Prepared, dir: string) {
  const opened = await openExecution({
    hankPath: loaded.source?.path ?? '',
    hankHash: loaded.source ? hankHash(loaded.source) : '',
    dataHash: noDataHash,
    executionBaseDir: join(dir, 'executions'),
    startNew: true,
    force: false,
    wipe: true,
    copy: false,
    rehearsal: true,
    weaveVersion: 'test',
    clock: systemClock,
  })
  if (opened.kind === 'problem') throw new Error(opened.message)
  return opened
}

function settingsOf({ registry, settings }: Prepared, dir: string) {
  const program = (name: string) => ({ command: process.execPath, args: [launcher, name] })
  return {
    programs: { agentWorker: program('agent-worker'), warden: program('warden') },
    priceOf: (provider: string, id: string) => findModel(`${provider}/${id}`, registry)?.prices,
    secrets: {},
    sentinels: {
      settings: settings.settings.sentinel,
      sandboxEntry: { file: launcher, argv: ['sentinel-sandbox'] },
      modelOf: (name: string) => findModel(name, registry),
    },
    outputDirectory: join(dir, 'results'),
    overwriteOutput: false,
    ignoreRigFailures: false,
    autostart: true,
    headless: true,
    keepAlive: false,
    server: { port: 0, readonlyOnly: false, idleTimeoutSeconds: 0, allowOtherUsers: true },
    logLevel: 'info',
    weaveVersion: 'test',
    rehearsal: true,
  } as const
}
