import { collector, type Problem } from '../kit/index.ts'
import { codonLabel, codonsOf } from './codons.ts'
import type { Codon, HankFile } from './schema.ts'

/** To check each key of a larger object would take too long. */
export const mostKeys = 20_000
const mostFiles = 20_000
/** One argument of a program is not longer on Linux, and the shell gets the command as one argument. */
const longestCommand = 131_071

/** No system takes a longer one. */
export const longestPath = 4_096

/** Sizes that no honest hank has, refused before rules and references spend time on them. */
export function checkLimits(hank: HankFile): readonly Problem[] {
  const problems = collector()
  const files = new Set([hank.globalSystemPromptFile ?? []].flat())
  for (const placed of codonsOf(hank)) {
    for (const path of filesOf(placed.codon)) files.add(path)
    for (const { run, where } of commandsOf(placed.codon)) {
      if (Buffer.byteLength(run) <= longestCommand) continue
      const message = `the command is longer than ${longestCommand} bytes, which no system runs`
      problems.error(`${placed.where}.${where}`, `${codonLabel(placed)}: ${message}`)
    }
  }
  if (files.size > mostFiles) problems.error('hank', `the hank names more than ${mostFiles} different files`)
  return problems.all()
}

function filesOf({ promptFile, appendSystemPromptFile, rigSetup, sentinels }: Codon): readonly string[] {
  return [
    ...[promptFile ?? []].flat(),
    ...[appendSystemPromptFile ?? []].flat(),
    ...(rigSetup ?? []).flatMap(operation => (operation.type === 'copy' ? [operation.copy.from] : [])),
    ...(sentinels ?? []).flatMap(({ sentinelConfig }) =>
      typeof sentinelConfig === 'string' ? [sentinelConfig] : [],
    ),
  ]
}

interface Command {
  readonly run: string
  readonly where: string
}

function commandsOf({ rigSetup, outputFiles }: Codon): readonly Command[] {
  const inRig = (rigSetup ?? []).flatMap((operation, at) =>
    operation.type === 'command'
      ? [{ run: operation.command.run, where: `rigSetup[${at}].command.run` }]
      : [],
  )
  const beforeCopy = (outputFiles ?? []).flatMap((entry, at) =>
    (entry.beforeCopy ?? []).map(({ command }, step) => ({
      run: command.run,
      where: `outputFiles[${at}].beforeCopy[${step}].command.run`,
    })),
  )
  return [...inRig, ...beforeCopy]
}
