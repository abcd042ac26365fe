import { type HarnessStanding, harnessStandings, installLine } from '@weave/runtime'
import { type ExitCode, exitCodes } from '../program.ts'
import { columns, type Terminal } from '../terminal.ts'

/** `weave harness list`: what is installed, in which version, where, and how big it is. */
export async function listHarnesses(json: boolean, terminal: Terminal): Promise<ExitCode> {
  const standings = await harnessStandings()
  if (json) {
    terminal.json(JSON.stringify(standings, null, 2))
    return exitCodes.done
  }
  const heads = ['NAME', 'HARNESS', 'VERSION', 'SIZE', 'WHERE']
  for (const line of columns([heads, ...standings.map(rowOf)], '')) terminal.out(line)
  const lacking = standings.filter(({ found, pin, isAcp }) => found?.version !== pin && (found || !isAcp))
  if (lacking.length > 0) terminal.out('')
  for (const { name, found, pin, problem } of lacking) {
    const why = found ? `This weave was made for ${pin}.` : problem?.message
    terminal.out(`${why} To install it: ${installLine(name)}`)
  }
  return exitCodes.done
}

function rowOf({ name, title, pin, megabytes, found }: HarnessStanding): readonly string[] {
  if (!found) return [name, title, `(${pin})`, `about ${megabytes} MB`, 'not installed']
  return [name, title, found.version, megabytesText(found.bytes), found.folder]
}

function megabytesText(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`
}
