import { resolve } from 'node:path'
import { harmlessJson } from 'weave-client'
import { paintVerdict } from '../colour.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { plural, type Terminal } from '../terminal.ts'
import { writeWhole } from '../write-file.ts'
import { type CheckedHank, checkHanks, type HanksToCheck, rootOf } from './check-hanks.ts'
import { formats } from './formats/format.ts'
import { verdictOf } from './formats/verdict.ts'
import { verdictReport } from './report.ts'
import { addSchema } from './schema-line.ts'
import { verdictJson } from './verdict-json.ts'

interface Wanted extends HanksToCheck {
  readonly format: string
}

/** Several hanks, or any number in a format for programs. With a format, `-o` names the file that is written. */
export async function validateMany(args: Arguments, terminal: Terminal, wanted: Wanted): Promise<ExitCode> {
  const { output: file, ...texts } = args.texts
  const isForFile = args.texts.format !== undefined && file !== undefined && file !== '-'
  const own = args.texts.format === undefined ? args : { ...args, texts }
  const checked = await checkHanks(own, terminal, wanted)
  const code = checked.every(({ prepared }) => prepared.ok) ? exitCodes.done : exitCodes.failed
  if (wanted.format === 'text' && !isForFile) {
    for (const line of textLines(checked)) terminal.out(line, paintVerdict)
    // Not before: the lines that are shown would have moved. For programs nothing is changed that they were told of.
    for (const { prepared } of checked) await addSchema(prepared)
    return code
  }
  const text = await textIn(wanted.format, checked)
  if (!isForFile) {
    if (text !== '') terminal.raw(text)
    return code
  }
  const problem = await writeWhole(resolve(file), text === '' || text.endsWith('\n') ? text : `${text}\n`)
  if (problem === undefined) return code
  terminal.error(problem)
  return exitCodes.failed
}

/** One after the other, and what came out of all. */
function textLines(checked: readonly CheckedHank[]): readonly string[] {
  const valid = checked.filter(({ prepared }) => prepared.ok).length
  const verdicts = checked.flatMap(({ named, prepared }) => [`== ${named}`, ...verdictReport(prepared), ''])
  return [...verdicts, `${valid} of ${plural(checked.length, 'hank')} ${valid === 1 ? 'is' : 'are'} valid.`]
}

async function textIn(format: string, checked: readonly CheckedHank[]): Promise<string> {
  if (format === 'text') return textLines(checked).join('\n')
  if (format === 'json') return jsonText(checked)
  const workingDirectory = process.cwd()
  const at = { workingDirectory, root: rootOf(process.env, workingDirectory) }
  const load = formats[format]
  const write = await load?.()
  return write?.(checked.map(({ prepared, named }) => verdictOf(prepared, named, at))) ?? ''
}

/** For one hank the document that `--json` has always printed; for several a list of them. */
async function jsonText(checked: readonly CheckedHank[]): Promise<string> {
  const all = await Promise.all(checked.map(({ prepared }) => verdictJson(prepared, process.env)))
  const [only] = all
  const valid = checked.every(({ prepared }) => prepared.ok)
  return harmlessJson(JSON.stringify(all.length === 1 ? only : { valid, hanks: all }, null, 2))
}
