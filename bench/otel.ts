import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyState } from '@weave/protocol'
import { openJournal } from '../packages/runtime/src/journal/index.ts'
import { createRedactor, silentLog, systemClock } from '../packages/runtime/src/kit/index.ts'
import { startLiveTraces } from '../packages/runtime/src/otel/index.ts'
import { createRecorder, startRunner } from '../packages/runtime/src/runner/index.ts'
import { executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { bareEffects, grouped } from '../packages/runtime/test/runner/bare-effects.ts'
import { codonPlan, planOf } from '../packages/runtime/test/runner/plans.ts'
import { busyAgent, perSecond, type Spent } from './busy-agent.ts'
import { writeLongJournal } from './long-journal.ts'
import { atLeast, atMost, type Figure, interleaved } from './measure.ts'

const launcher = new URL('../packages/cli/bin/weave.cjs', import.meta.url).pathname
const clock = systemClock
const redactor = createRedactor([{ name: 'ANTHROPIC_API_KEY', value: 's3cr3t'.repeat(6) }])
const rounds = 9
/** Some seconds: the thread that sends works meanwhile, and not only afterwards. */
const turns = 6_000

/**
 * OpenTelemetry: a million events exported into a file by the built command, against eight seconds of processor
 * time and 150 MB; and events per second of a run that sends spans to a collector in another process, against one that
 * does not. Needs a built command.
 */
export async function otelFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  try {
    return [...(await runFigures(base)), ...exportFigures(base)]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

function exportFigures(base: string): readonly Figure[] {
  const execution = join(base, 'long')
  writeLongJournal(execution, 1_000_000)
  const used = Array.from({ length: 3 }, () => exported(base, execution))
  const least = (values: readonly number[]) => Math.min(...values)
  const what = 'export of 1,000,000 events into a file'
  return [
    {
      id: 'otel export',
      what: `${what}, processor time, against 8 s`,
      unit: 's',
      subject: least(used.map(({ seconds }) => seconds)),
      floor: 8,
      spread: 'best',
      goal: atMost(1),
    },
    {
      id: 'otel memory',
      what: 'memory of the command meanwhile, against 150 MB',
      unit: 'MB',
      subject: Math.max(...used.map(({ megabytes }) => megabytes)),
      floor: 150,
      spread: 'worst',
      goal: atMost(1),
    },
  ]
}

/** What the command used, which it says itself when it ends. */
function exported(base: string, execution: string): { readonly seconds: number; readonly megabytes: number } {
  const teller = join(base, 'teller.cjs')
  const told = join(base, 'told.json')
  const write = `require('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(process.resourceUsage()))`
  writeFileSync(teller, `process.on('exit', () => ${write})`)
  const words = ['export', execution, '--otlp', '--file', join(base, 'spans.jsonl')]
  const { status, stderr } = spawnSync(process.execPath, ['--require', teller, launcher, ...words])
  if (status !== 0) throw new Error(String(stderr))
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(
    readFileSync(told, 'utf8'),
  ) as NodeJS.ResourceUsage
  return { seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: (maxRSS * 1024) / 1e6 }
}

async function runFigures(base: string): Promise<readonly Figure[]> {
  const collector = await startCollector()
  try {
    let run = 0
    const computed: { readonly sends: boolean; readonly rate: number }[] = []
    const rate = async (sends: boolean) => {
      const spent = await spentByAgent(join(base, `${run++}`), sends ? collector.url : undefined)
      computed.push({ sends, rate: perSecond(turns, spent.thread) })
      return perSecond(turns, spent.wall)
    }
    const result = await interleaved(
      rounds,
      () => rate(false),
      () => rate(true),
    )
    const best = (sends: boolean) =>
      Math.max(...computed.filter(one => one.sends === sends).map(one => one.rate))
    const cpu = { floor: best(false), subject: best(true), spread: 'best' }
    return [
      { id: 'otel', what: 'a run that sends spans', unit: 'events/s', ...result, goal: atLeast(0.98) },
      {
        id: 'otel-cpu',
        what: 'the same, computing of its thread',
        unit: 'events/s',
        ...cpu,
        goal: atLeast(0.98),
      },
    ]
  } finally {
    collector.end()
  }
}

/** In a process of its own, so that its work is not counted. */
async function startCollector(): Promise<{ readonly url: string; readonly end: () => void }> {
  const serve = `
    const server = require('node:http').createServer((request, response) => request.resume().on('end', () => response.end()))
    server.listen(0, '127.0.0.1', () => process.send(server.address().port))`
  const child = spawn(process.execPath, ['-e', serve], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [port] = (await once(child, 'message')) as [number]
  return { url: `http://127.0.0.1:${port}`, end: () => void child.kill() }
}

async function spentByAgent(dir: string, url: string | undefined): Promise<Spent> {
  const layout = executionLayout(dir)
  for (const folder of [layout.journal, layout.agentRoot]) mkdirSync(folder, { recursive: true })
  const journal = await openJournal({ dir: layout.journal, clock, redactor })
  const recorder = createRecorder(journal, redactor, emptyState)
  const traces =
    url === undefined
      ? undefined
      : startLiveTraces({
          entry: { file: launcher, argv: ['traces-thread'] },
          settings: { enabled: true, content: 'none', names: '1.41', metrics: true },
          executionId: 'evt_bench',
          rehearsal: false,
          layout,
          journal,
          redactor,
          clock,
          log: silentLog,
          environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
          weaveVersion: '0.0.0',
          assertHeld: () => undefined,
        })
  const { harness, spent } = busyAgent(turns, 500)
  const plan = planOf(codonPlan('a'))
  const options = { plan, journal, recorder, clock, autostart: true, headless: true }
  const runner = startRunner({ ...options, effects: grouped(bareEffects(harness)) })
  const result = await spent
  runner.shutdown('measured')
  await runner.done
  await traces?.close()
  await journal.close()
  return result
}
