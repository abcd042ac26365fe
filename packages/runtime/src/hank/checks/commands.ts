import type { Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, type PlacedCodon } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { type Danger, dangersIn } from './dangerous-commands.ts'
import { shown } from './labels.ts'

/** Commands that look as if they could destroy more than a workspace. Warnings: the author may mean it. */
export function checkCommands(hank: HankFile): readonly Problem[] {
  return codonsOf(hank).flatMap(placed =>
    commandsOf(placed).flatMap(({ run, where }) =>
      [...dangersIn(run)].map(danger => ({
        severity: 'warning' as const,
        where,
        message: `${codonLabel(placed)}: the command \`${shown(run)}\` ${deeds[danger]}. Make sure that this is meant.`,
      })),
    ),
  )
}

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
