import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { executionBaseOf } from '../named-execution.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural } from '../terminal.ts'
import type { Asked, Deed } from './deed.ts'
import { reportCsv, reportLines } from './report-text.ts'
import type { OpenedFleet } from './with-fleet.ts'

/** What people take with them. */
export const takeHomeDeeds: Readonly<Record<string, Deed>> = {
  pull: {
    usage: '<execution> [dir]',
    summary: 'an execution as it was published last, to look at, compare and fork; never published back',
    flags: ['json'],
    words: [1, 2],
    run: pull,
  },
  report: {
    usage: '<batch>',
    summary: 'all executions, costs by codon and model, failures by reason; also --html, --csv, --json',
    flags: ['json', 'csv', 'html'],
    words: [1, 1],
    run: report,
  },
  results: {
    usage: '<batch>',
    summary: 'the outputs of every execution that succeeded, one folder each',
    flags: ['results-folder'],
    words: [1, 1],
    run: results,
  },
}

async function pull(
  { target, more, args, terminal }: Asked,
  { fleet, library }: OpenedFleet,
): Promise<ExitCode> {
  const dir = more === undefined ? join(await executionBaseOf(args), target) : resolve(more)
  const { seq } = await library.pull(fleet, { execution: target, dir })
  if (args.switches.has('json')) terminal.json(JSON.stringify({ execution: target, dir, head: seq }))
  else {
    terminal.out(dir)
    terminal.error(`Head ${seq} of ${target}. Look at it with: weave report ${dir}`)
  }
  return exitCodes.done
}

async function report({ target, args, terminal }: Asked, { fleet, library }: OpenedFleet): Promise<ExitCode> {
  const { switches, texts } = args
  const asked = [switches.has('json'), switches.has('csv'), texts.html !== undefined].filter(Boolean)
  if (asked.length > 1) {
    terminal.error('--json, --csv and --html exclude each other.')
    return exitCodes.usage
  }
  const found = await library.reportOf(fleet.engine, target)
  if (switches.has('json')) terminal.json(JSON.stringify(found, null, 2))
  else if (switches.has('csv')) terminal.raw(reportCsv(found))
  else if (texts.html !== undefined) {
    const file = resolve(texts.html)
    const { reportPage } = await import('./report-page.ts')
    writeFileSync(file, reportPage(found))
    terminal.error(`Report     ${file}`)
  } else for (const line of reportLines(found)) terminal.out(line)
  return exitCodes.done
}

async function results(
  { target, args, terminal }: Asked,
  { fleet, library }: OpenedFleet,
): Promise<ExitCode> {
  const folder = resolve(args.texts['results-folder'] ?? join('weave-results', target))
  const made = await library.results(fleet, { batch: target, folder })
  terminal.error(`Results    ${folder} (${plural(made.length, 'folder')})`)
  return exitCodes.done
}
