import { open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { harmlessLine } from 'weave-client'
import { type ExitCode, exitCodes } from '../exit.ts'
import type { Terminal } from '../terminal.ts'
import { pageMark, reportPage } from './page.ts'
import { type PageParts, pageParts } from './page-parts.ts'
import { type ReadReport, readReport } from './read-report.ts'

export interface HtmlReportOptions {
  readonly layout: Parameters<typeof readReport>[0]
  /** Where to write; `-` is the terminal. Absent: a name made from that of the execution, in the working directory. */
  readonly file: string | undefined
  /** The data as JSON instead of the page. */
  readonly json: boolean
  readonly workingDirectory: string
  readonly parts?: PageParts | undefined
}

/** Writes the report of an execution as one page. */
export async function htmlReport(options: HtmlReportOptions, terminal: Terminal): Promise<ExitCode> {
  const { layout, json, workingDirectory, parts = pageParts } = options
  const read = await readReport(layout)
  if (!read.ok) {
    terminal.error(read.message)
    return exitCodes.failed
  }
  if (json) {
    terminal.json(JSON.stringify({ ...read.data, events: read.events }, null, 2))
    return exitCodes.done
  }
  if (!parts) {
    terminal.error('The page of reports is not built. Run "npm run build", or use --json.')
    return exitCodes.failed
  }
  const page = pageOf(read, parts)
  if (options.file === '-') {
    terminal.raw(page)
    return exitCodes.done
  }
  const file = resolve(workingDirectory, options.file ?? `weave-report-${basename(layout.dir)}.html`)
  const problem = await writePage(file, page)
  if (problem !== undefined) {
    terminal.error(problem)
    return exitCodes.failed
  }
  for (const note of read.data.notes) terminal.error(harmlessLine(note))
  terminal.out(file)
  return exitCodes.done
}

function pageOf({ data, events }: Extract<ReadReport, { ok: true }>, parts: PageParts): string {
  return reportPage({ title: `${data.hank.name} – weave report`, data, events }, parts)
}

/** Whole or not at all, and over nothing but an earlier report. Says what went wrong. */
async function writePage(file: string, page: string): Promise<string | undefined> {
  if ((await beginningOf(file)) === 'other')
    return `${file} exists and is no report. Nothing was written; name another file: weave report -o <file>`
  const draft = `${file}.${process.pid}.part`
  try {
    await writeFile(draft, page, { flag: 'wx', mode: 0o600 })
    await rename(draft, file)
    return undefined
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    const why = error instanceof Error ? error.message : String(error)
    return `The report cannot be written: ${why}. Name another file: weave report -o <file>`
  }
}

async function beginningOf(file: string): Promise<'nothing' | 'report' | 'other'> {
  try {
    const opened = await open(file, 'r')
    try {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(pageMark.length), 0, pageMark.length, 0)
      return bytesRead === pageMark.length && buffer.toString() === pageMark ? 'report' : 'other'
    } finally {
      await opened.close()
    }
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'nothing' : 'other'
  }
}
