import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { executionLayout, readLastSeq, readLock, systemClock } from '@weave/runtime'
import { asCommand } from '../../program.ts'
import { type Answer, failure, value } from '../answers.ts'
import { executionNamed } from '../places.ts'
import { mostAtOnce, type StartedKind } from '../started-runs.ts'
import type { Call, Run, Surroundings } from '../tool.ts'
import { checkedHank, invalidHank } from './check.ts'
import { executionView } from './executions.ts'
import type { Inputs } from './inputs.ts'
import { waited } from './journal.ts'

export const rehearseHank: Run<Inputs['rehearse_hank']> = async (input, at, call) => {
  const checked = await checkedHank(input, at)
  if (!checked.ok) return checked.answer
  const { hank, data } = checked.words
  const words = [
    hank,
    ...(data === undefined ? [] : [data]),
    '--start-new',
    '--skip-self-test',
    ...(input.strict ? ['--strict'] : []),
    ...modelWords(input.model),
  ]
  const started = await start({ kind: 'rehearsal', command: 'rehearse', words }, at)
  if (!started.ok) return started.answer
  const { dir } = started.ready
  const layout = executionLayout(dir)
  await untilEnded(dir, input.seconds, { ...call, journals: at.journals })
  const named = await executionNamed(basename(dir), at)
  if (!named.ok) return named.answer
  const view = await executionView(named)
  const { lockFile } = layout
  const goesOn = (await readLock(lockFile, systemClock)).kind === 'held'
  return value({
    execution: basename(dir),
    ...view,
    ...(goesOn && { note: `It goes on. Call wait_for with execution ${basename(dir)}.` }),
  })
}

/** Follows a run in good time, and tells which codons begin and end. One that nobody waits for any more is stopped. */
async function untilEnded(
  dir: string,
  seconds: number,
  call: Call & Pick<Surroundings, 'journals'>,
): Promise<void> {
  const layout = executionLayout(dir)
  const deadline = systemClock.monotonic() + seconds * 1000
  const progress = (line: string): void => {
    if (line.startsWith('codon.')) call.progress(line)
  }
  let since = 0
  for (;;) {
    const left = Math.min(50, (deadline - systemClock.monotonic()) / 1000)
    if (left <= 0) return
    const listening = { signal: call.signal, journals: call.journals, progress }
    const page = await waited(layout, { since, hits: new Set(), seconds: left }, listening)
    since = page.lastSeq
    if (page.hit || call.signal.aborted) break
  }
  if (call.signal.aborted) await endProcess(dir)
}

async function endProcess(dir: string): Promise<void> {
  const lock = await readLock(executionLayout(dir).lockFile, systemClock)
  const pid = lock.kind === 'held' ? lock.holder.record?.pid : undefined
  if (pid !== undefined) process.kill(pid, 'SIGTERM')
}

export const startRun: Run<Inputs['start_run']> = async (input, at) => {
  const checked = await checkedHank(input, at)
  if (!checked.ok) return checked.answer
  if (!checked.prepared.ok) return invalidHank(checked.prepared)
  const { hank, data } = checked.words
  const words = [
    hank,
    ...(data === undefined ? [] : [data]),
    ...(input.startNew ? ['--start-new'] : []),
    ...modelWords(input.model),
    ...ceiling(input.maxCost, at),
  ]
  return startedAnswer(await start({ kind: 'run', words }, at))
}

export const resumeRun: Run<Inputs['resume_run']> = async ({ execution, maxCost }, at) => {
  const named = await executionNamed(execution, at)
  if (!named.ok) return named.answer
  const { layout, name } = named
  if ((await readLock(layout.lockFile, systemClock)).kind === 'held')
    return failure('EXECUTION_BUSY', `A run is going on in ${name}. Watch it with wait_for.`)
  const words = [layout.dir, ...ceiling(maxCost, at)]
  return startedAnswer(await start({ kind: 'run', command: 'resume', words }, at))
}

function modelWords(model: string | undefined): readonly string[] {
  return model === undefined ? [] : [`--model=${model}`]
}

/** The operator's ceiling, or a lower one. */
function ceiling(given: number | undefined, { maxCost }: Surroundings): readonly string[] {
  const most = Math.min(given ?? Number.POSITIVE_INFINITY, maxCost ?? 0)
  return [`--max-cost=${most}`]
}

interface Start {
  readonly kind: StartedKind
  /** Absent: the one without a word. */
  readonly command?: string
  readonly words: readonly string[]
}

interface Ready {
  readonly dir: string
  readonly url: string
  readonly log: string
}

type Started = { readonly ok: true; readonly ready: Ready } | { readonly ok: false; readonly answer: Answer }

/** Starts this program with `--detach`: what it starts lives in a session of its own and does not need us. */
async function start({ kind, command, words }: Start, at: Surroundings): Promise<Started> {
  const release = await at.started.claim(kind)
  if (!release)
    return {
      ok: false,
      answer: failure('LIMIT', `${mostAtOnce[kind]} of them go on already. Wait for one, or stop it.`),
    }
  try {
    const config = at.runtimeConfig === undefined ? [] : ['--runtime-config', at.runtimeConfig]
    const { code, out, said } = await ran(
      [...(command ? [command] : []), ...words, ...config, '--detach', '--json'],
      at,
    )
    const ready = code === 0 ? readyIn(out) : undefined
    if (!ready) return { ok: false, answer: failure('NOT_STARTED', notStarted(said, out)) }
    at.started.add(kind, executionLayout(ready.dir))
    return { ok: true, ready }
  } finally {
    release()
  }
}

const longestSaid = 4_000

function notStarted(said: string, out: string): string {
  const words = `${said}\n${out}`.trim()
  return `Nothing was started. ${words.slice(-longestSaid)}`
}

function readyIn(out: string): Ready | undefined {
  try {
    const { execution, url, log } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as Record<string, string>
    return execution === undefined ? undefined : { dir: execution, url: url ?? '', log: log ?? '' }
  } catch {
    return undefined
  }
}

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly said: string
}

function ran(words: readonly string[], at: Surroundings): Promise<Ran> {
  const { command, args } = asCommand('')
  const child = spawn(command, [...args.slice(0, -1), ...words], {
    cwd: at.workingDirectory,
    // Wherever a hank wants its executions: here they are found again.
    env: { ...process.env, WEAVE_RUNTIME_EXECUTION_BASE_DIR: at.executionBaseDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, said] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    out = (out + chunk.toString('utf8')).slice(-longestKept)
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-longestKept)
  })
  return new Promise(resolve => {
    child.on('error', error => resolve({ code: null, out, said: error.message }))
    child.on('close', code => resolve({ code, out, said }))
  })
}

const longestKept = 64 * 1024

async function startedAnswer(started: Started): Promise<Answer> {
  if (!started.ok) return started.answer
  const { dir, url, log } = started.ready
  const layout = executionLayout(dir)
  const lock = await readLock(layout.lockFile, systemClock)
  const runId = lock.kind === 'held' ? lock.holder.record?.runId : undefined
  return value({ execution: basename(dir), runId, url, log, lastSeq: await readLastSeq(layout) })
}
