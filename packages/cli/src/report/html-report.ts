import { createHash } from 'node:crypto'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { harmlessLine } from 'weave-client'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { type ReadReport, type ReportOptions, readReport } from './read-report.ts'

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

/** The page as text. Never rejects. */
export async function reportHtml(
  layout: HtmlReportOptions['layout'],
  options: ReportOptions = {},
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }> {
  const read = await readReport(layout, options)
  if (!read.ok) return read
  return pageParts
    ? { ok: true, text: pageOf(read, pageParts) }
    : { ok: false, message: 'The page of reports is not built.' }
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

/** How every report begins: only a file that begins so may be overwritten. */
export const pageMark = '<!doctype html>\n<!-- weave report -->'

interface PageContent {
  readonly title: string
  readonly data: object
  readonly events: object
}

/**
 * One page that needs nothing else. Its policy allows exactly this script and this style, by their hashes, and nothing from
 * anywhere; the data are no markup and no script. They stand around the script in the order in which they are needed.
 */
export function reportPage({ title, data, events }: PageContent, { script, style }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return [
    pageMark,
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<noscript>This report needs JavaScript, which runs in the page and fetches nothing.</noscript>',
    embedded('report-data', data),
    `<script>${script}</script>`,
    embedded('report-events', events),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** JSON in which nothing can end its element or begin another. */
function embedded(id: string, value: object): string {
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, unicode)
  return `<script type="application/json" id="${id}">${json}</script>`
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function escaped(text: string): string {
  return text.replace(/[<>&"]/g, character => `&#${character.charCodeAt(0)};`)
}

interface PageParts {
  readonly script: string
  readonly style: string
}

/** JSON, so that the bundler does not put it into every file. */
declare const __WEAVE_REPORT_PAGE__: string | undefined

/** What runs and how it looks in a report page; built from the browser's package and put in by the bundler. */
const pageParts: PageParts | undefined =
  typeof __WEAVE_REPORT_PAGE__ === 'string' ? (JSON.parse(__WEAVE_REPORT_PAGE__) as PageParts) : undefined
