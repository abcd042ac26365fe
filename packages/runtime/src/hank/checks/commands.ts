import type { Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, type PlacedCodon } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { type Danger, dangersIn } from './dangerous-commands.ts'
import { shown } from './labels.ts'

/** Of one command, and of all different commands of a hank; what comes after is not looked at, and that is told. */
const longestLook = 64 * 1024
const mostLooked = 1024 * 1024

/** Commands that look as if they could destroy more than a workspace. Warnings: the author may mean it. */
export function checkCommands(hank: HankFile): readonly Problem[] {
  const known = new Map<string, ReadonlySet<Danger>>()
  let looked = 0
  const lookAt = (run: string): ReadonlySet<Danger> => {
    const seen = known.get(run)
    if (seen || looked > mostLooked) return seen ?? none
    const start = run.slice(0, longestLook)
    const found = dangersIn(start)
    looked += start.length
    known.set(run, found)
    return found
  }
  const problems = codonsOf(hank).flatMap(placed =>
    commandsOf(placed).flatMap(({ run, where }) => {
      const complaints = [...lookAt(run)].map(danger => `${deeds[danger]}. Make sure that this is meant.`)
      if (run.length > longestLook) complaints.push(tooLong)
      return complaints.map(
        (complaint): Problem => ({
          severity: 'warning',
          where,
          message: `${codonLabel(placed)}: the command \`${shown(run)}\` ${complaint}`,
        }),
      )
    }),
  )
  return looked > mostLooked
    ? [...problems, { severity: 'warning', where: 'hank', message: tooMany }]
    : problems
}

const none: ReadonlySet<Danger> = new Set()
const tooLong = `is longer than ${longestLook} characters, and only its beginning was looked at. Put it into a script.`
const tooMany = `The commands are longer than ${mostLooked} characters together, and the rest was not looked at.`

const deeds: Readonly<Record<Danger, string>> = {
  'root-or-home': 'seems to delete the root or a home directory',
  'raw-disk': 'seems to write to a raw disk',
  formatting: 'seems to format a disk',
  'windows-deletion': 'seems to delete whole directory trees on Windows',
}

interface PlacedCommand {
  readonly run: string
  readonly where: string
}

function commandsOf({ codon, where }: PlacedCodon): readonly PlacedCommand[] {
  const rig = (codon.rigSetup ?? []).flatMap((operation, at) =>
    operation.type === 'command'
      ? [{ run: operation.command.run, where: `${where}.rigSetup[${at}].command.run` }]
      : [],
  )
  const outputs = (codon.outputFiles ?? []).flatMap((entry, at) =>
    (entry.beforeCopy ?? []).map(({ command }, step) => ({
      run: command.run,
      where: `${where}.outputFiles[${at}].beforeCopy[${step}].command.run`,
    })),
  )
  return [...rig, ...outputs]
}
