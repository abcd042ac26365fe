import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, currentRun, type JournaledEvent } from '@weave/protocol'
import { createScriptedHarness, type ScriptStep } from '../../../../test/support/scripted-harness.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openStoppedExecution, type StoppedExecution } from '../../src/at-rest/stopped-execution.ts'
import { startExecution } from '../../src/execution/start.ts'
import type { HarnessSpec } from '../../src/harness/index.ts'
import { createHistory, replay } from '../../src/journal/index.ts'
import { systemClock } from '../../src/kit/index.ts'
import type { Plan, PlannedCodon } from '../../src/plan/index.ts'
import { type ExecutionLayout, noDataHash, openExecution } from '../../src/workspace/index.ts'
import { codonPlan, planOf } from '../runner/plans.ts'

/** A codon that checkpoints everything. */
export function keeping(id: string, more: Partial<PlannedCodon> = {}): PlannedCodon {
  return codonPlan(id, { checkpointedFiles: ['**'], ...more })
}

export type Script = (codonId: string, spec: HarnessSpec) => readonly ScriptStep[]

export interface Scene {
  readonly dir: string
  readonly layout: ExecutionLayout
  readonly hankDir: string
  /** Runs the plan until the server ends; `steer` may talk to it. */
  run(steer?: (running: Running) => Promise<void>): Promise<readonly JournaledEvent[]>
  /** The same after the hank was edited: takes its plan over. Rejects with the refusal. */
  adopt(plan: Plan): Promise<readonly JournaledEvent[]>
  /** With the execution open at rest. */
  atRest<Result>(work: (execution: StoppedExecution) => Promise<Result>): Promise<Result>
  /** Path and content of every file in the workspace. */
  files(): Readonly<Record<string, string>>
  state(): ReturnType<typeof stateOf>
}

export interface Running {
  send(command: Omit<Command, 'id'>): Promise<void>
  until(type: JournaledEvent['type'], count?: number): Promise<void>
  shutdown(): void
  /** What was told last when agents that were made ready had to go. */
  readonly releases: readonly string[]
}

/** A real execution with real checkpoints; only the agents are scripted, and what they do may change between runs. */
export async function createScene(
  items: readonly PlannedCodon[] | ((hankDir: string) => Plan),
  script: Script,
): Promise<Scene> {
  const base = await tempDir({ inMemory: true })
  const hankDir = join(base, 'hank')
  mkdirSync(hankDir)
  const plan = typeof items === 'function' ? items(hankDir) : { ...planOf(...items), hankDir }
  const dir = join(base, 'execution')
  const open = () =>
    openExecution({
      hankPath: join(hankDir, 'hank.json'),
      hankHash: 'a hank',
      hankName: 'test',
      dataHash: noDataHash,
      executionBaseDir: base,
      execution: dir,
      startNew: false,
      force: false,
      wipe: true,
      copy: false,
      rehearsal: false,
      weaveVersion: '0.0.0',
      clock: systemClock,
    })
  const first = await open()
  if (first.kind === 'problem') throw new Error(first.message)
  const { layout } = first
  return {
    dir,
    layout,
    hankDir,
    run: steer => runOnce({ open, plan, script, base }, steer),
    adopt: next =>
      runOnce({ open, plan: { ...next, hankDir }, script, base, adopt: { hankHash: 'an edited hank' } }),
    async atRest(work) {
      const opened = await openStoppedExecution({ layout, environment: process.env, clock: systemClock })
      if (!opened.ok) throw new Error(`${opened.message} ${opened.cure}`)
      try {
        return await work(opened.execution)
      } finally {
        await opened.execution.close()
      }
    },
    files: () => filesIn(layout.agentRoot),
    state: () => stateOf(layout),
  }
}

interface Start {
  readonly open: () => ReturnType<typeof openExecution>
  readonly plan: Plan
  readonly script: Script
  readonly base: string
  readonly adopt?: { readonly hankHash: string }
}

async function runOnce(
  { open, plan, script, base, adopt }: Start,
  steer?: (running: Running) => Promise<void>,
) {
  const opened = await open()
  if (opened.kind === 'problem') throw new Error(opened.message)
  const events: JournaledEvent[] = []
  const looks = new Set<() => void>()
  const releases: string[] = []
  const harness = createScriptedHarness(spec => script(spec.codonId, spec))
  const idle = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] }
  const started = await startExecution({
    opened,
    plan,
    adopt,
    programs: { agentWorker: idle, warden: idle },
    harnesses: {
      harnessFor: () => harness,
      close: async () => void releases.push(events.at(-1)?.type ?? ''),
    },
    priceOf: () => undefined,
    environment: { PATH: process.env['PATH'] },
    secrets: {},
    sentinels: {
      settings: { enablePersistence: false, healthCheckGracePeriodMs: 0, waitForAllHealthChecks: false },
      sandboxEntry: { file: '', argv: [] },
      modelOf: () => undefined,
    },
    outputDirectory: join(base, 'results'),
    overwriteOutput: false,
    ignoreRigFailures: false,
    autostart: true,
    headless: true,
    keepAlive: steer !== undefined,
    server: { port: 0, readonlyOnly: false, idleTimeoutSeconds: 0, allowOtherUsers: false },
    logLevel: 'info',
    weaveVersion: '0.0.0',
    rehearsal: false,
    onEvent({ event }) {
      events.push(event)
      for (const look of looks) look()
    },
  })
  if (!started.ok) throw new Error(`${started.message} ${started.cure}`)
  const { execution } = started
  if (!execution) return events
  const { runner } = execution
  await steer?.({
    async send(command) {
      const answer = await runner.submit({ ...command, id: `c${events.length}` } as Command)
      if (!answer.ok) throw new Error(answer.message)
    },
    until: (type, count = 1) =>
      new Promise(resolve => {
        const look = (): void => {
          if (events.filter(event => event.type === type).length >= count) resolve()
        }
        looks.add(look)
        look()
      }),
    shutdown: () => runner.shutdown('the test asked for it'),
    releases,
  })
  await runner.done
  const problems = await execution.close()
  if (problems.length > 0) throw new Error(problems.join('; '))
  return events
}

function filesIn(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter(
    name => !name.startsWith('read_only_data_source') && statSync(join(root, name)).isFile(),
  )
  return Object.fromEntries(files.map(name => [name, readFileSync(join(root, name), 'utf8')]))
}

async function stateOf(layout: ExecutionLayout) {
  const { state } = await replay(createHistory({ dir: layout.journal }), layout.stateFile)
  return { state, run: currentRun(state) }
}

/** The codons that were started in these events, in order. */
export function startedIn(events: readonly JournaledEvent[]): readonly string[] {
  return events.flatMap(event => (event.type === 'codon.started' ? [event.data.codonId] : []))
}
