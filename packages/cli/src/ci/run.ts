import { join, resolve } from 'node:path'
import type { ReportData } from '@weave/protocol'
import { type ExecutionLayout, readEvents } from '@weave/runtime'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { readReport } from '../report/read-report.ts'
import { rehearseCommand } from '../run/rehearse.ts'
import { isForPeople, lineOf } from '../run/run-display.ts'
import { runHank } from '../run/run-hank.ts'
import type { RunCases } from '../validate/formats/junit.ts'
import type { BuildMachine } from './build-machine.ts'
import { runCases } from './run-cases.ts'
import { runMarkdown } from './run-summary.ts'

interface RunInCi {
  readonly hank: string
  readonly data: string | undefined
  readonly mode: 'rehearse' | 'run'
}

export interface RanInCi {
  readonly code: ExitCode
  /** Its codons, when it began at all. */
  readonly cases?: RunCases
}

/** Runs or rehearses one hank; then says what came out of it, on the build's page and to later steps. */
export async function runInCi(
  args: Arguments,
  machine: BuildMachine,
  { hank, data, mode }: RunInCi,
): Promise<RanInCi> {
  const { terminal } = machine
  const path = hank.endsWith('.json') ? hank : join(hank, 'hank.json')
  const own = { ...args, positionals: data === undefined ? [path] : [path, data] }
  let layout: ExecutionLayout | undefined
  const onOpened = (opened: ExecutionLayout): void => {
    layout = opened
  }
  const code =
    mode === 'rehearse'
      ? await rehearseCommand(own, terminal, { onOpened })
      : await runHank({ args: own, terminal, environment: process.env, onOpened })
  if (!layout) {
    await machine.addOutputs({ status: code === exitCodes.done ? 'completed' : 'failed' })
    return { code }
  }
  const report = await writeReport(args.texts.report, layout, machine)
  const isGood = code === exitCodes.done
  const told = await tell(layout, machine, { report, isGood })
  return told ? { code, cases: runCases(path, told, isGood) } : { code }
}

/** The page, when one was asked for and could be written. */
async function writeReport(
  file: string | undefined,
  layout: ExecutionLayout,
  { terminal }: BuildMachine,
): Promise<string | undefined> {
  if (file === undefined) return undefined
  const { htmlReport } = await import('../report/html-report.ts')
  const wanted = { layout, file, json: false, workingDirectory: process.cwd() }
  const written = await htmlReport(wanted, { ...terminal, out: () => undefined })
  return written === exitCodes.done ? resolve(file) : undefined
}

async function tell(
  layout: ExecutionLayout,
  machine: BuildMachine,
  { report, isGood }: { readonly report: string | undefined; readonly isGood: boolean },
): Promise<ReportData | undefined> {
  const read = await readReport(layout)
  if (!read.ok) {
    machine.terminal.error(read.message)
    await machine.addOutputs({ execution: layout.dir })
    return undefined
  }
  const { data } = read
  const failed = data.runs.at(-1)?.attempts.find(({ status }) => status === 'failed')?.codonId
  const last = failed === undefined ? [] : await lastLines(layout, failed)
  // A strict rehearsal fails also when the run itself was done.
  const status = data.status === 'completed' && !isGood ? 'failed' : data.status
  await machine.addSummary(runMarkdown({ ...data, status }, last))
  await machine.addOutputs({
    status,
    cost: String(data.totals.cost),
    execution: layout.dir,
    ...(report !== undefined && { report }),
  })
  return data
}

const mostLines = 20

/** What a codon did last, as a reader of lines saw it. The journal has no secret in it. */
async function lastLines(layout: ExecutionLayout, codonId: string): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { event } of readEvents(layout, { codonId, readOnly: true }, () => undefined)) {
    if (!isForPeople(event.type)) continue
    lines.push(lineOf(event))
    if (lines.length > mostLines) lines.shift()
  }
  return lines
}
