import { posix } from 'node:path'
import { checkRelativeSpelling } from '../../files/index.ts'
import { type Collector, collector, type Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import { codonLabel, codonsOf, type PlacedCodon } from '../codons.ts'
import { longestPath } from '../limits.ts'
import type { HankFile } from '../schema.ts'
import { checkExistingTargets } from './existing-targets.ts'
import { shown } from './labels.ts'

/**
 * Where rig operations write and run. The workspace does not exist yet, so containment is a matter of spelling here; when
 * the copy runs, it is checked again on the disk.
 */
export function checkRigTargets(hank: HankFile, context: CheckContext): readonly Problem[] {
  const problems = collector()
  for (const placed of codonsOf(hank)) {
    reportTargets(placed, problems)
    reportLastCopied(placed, problems)
  }
  problems.add(checkExistingTargets(hank, context))
  return problems.all()
}

function reportTargets(placed: PlacedCodon, problems: Collector): void {
  for (const [at, operation] of (placed.codon.rigSetup ?? []).entries()) {
    if (operation.type !== 'copy') continue
    const { to } = operation.copy
    const spelling = checkRelativeSpelling(to)
    const where = `${placed.where}.rigSetup[${at}].copy.to`
    const fault = spelling.ok ? faultOf(to, spelling.components) : refusal(spelling.reason, to)
    if (fault !== undefined) problems.error(where, `${codonLabel(placed)}: copy.to ${fault}`)
  }
}

/** What is wrong with a target that is spelled well. */
function faultOf(to: string, components: readonly string[]): string | undefined {
  if (to.length > longestPath) return `is longer than ${longestPath} characters`
  return components[0] === dataDirectory ? `${shown(to)} ${inTheData}` : undefined
}

/** Where the workspace shows the data (specification 2.10). */
const dataDirectory = 'read_only_data_source'
const inTheData = `lies in ${dataDirectory}, which is read-only; choose a target beside it`

/** The wording of the specification for references (7.3), with the workspace in place of the hank directory. */
function refusal(reason: 'absolute' | 'backslash' | 'nul' | 'outside', to: string): string {
  const path = shown(to)
  switch (reason) {
    case 'absolute':
      return `${path} is an absolute or drive-qualified path; copy targets must be relative paths inside the agent workspace`
    case 'backslash':
      return `${path} contains a backslash; copy targets use / as the only path separator`
    case 'nul':
      return `${path} contains an invalid character (NUL)`
    case 'outside':
      return `${path} resolves outside the agent workspace (${shown(posix.normalize(to))}); choose a target inside it`
  }
}

/**
 * `lastCopied` means the last copy of the same rig, because a codon's rig may run alone, when the codon is redone. The
 * commands before an output copy come after the whole rig.
 */
function reportLastCopied(placed: PlacedCodon, problems: Collector): void {
  const { codon, where } = placed
  let copied = false
  const complain = (place: string) =>
    problems.error(
      `${place}.command.workingDirectory`,
      `${codonLabel(placed)}: workingDirectory "lastCopied" needs a copy operation before it in the rigSetup of this codon. Add one, or use "project".`,
    )
  for (const [at, operation] of (codon.rigSetup ?? []).entries()) {
    if (operation.type === 'copy') copied = true
    else if (!copied && operation.command.workingDirectory === 'lastCopied')
      complain(`${where}.rigSetup[${at}]`)
  }
  if (copied) return
  for (const [at, entry] of (codon.outputFiles ?? []).entries()) {
    for (const [step, { command }] of (entry.beforeCopy ?? []).entries()) {
      if (command.workingDirectory === 'lastCopied')
        complain(`${where}.outputFiles[${at}].beforeCopy[${step}]`)
    }
  }
}
