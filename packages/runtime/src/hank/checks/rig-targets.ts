import { lstatSync } from 'node:fs'
import { posix } from 'node:path'
import { checkRelativeSpelling, resolveInside } from '../../files/index.ts'
import { type Collector, collector, createMatcher, type Problem } from '../../kit/index.ts'
import { beforeCopyCommands, codonLabel, codonsOf, type PlacedCodon } from '../codons.ts'
import { longestPath } from '../references.ts'
import type { HankFile } from '../schema.ts'
import { type CheckContext, shown } from './check.ts'

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

/** Where the workspace shows the data. */
const dataDirectory = 'read_only_data_source'
const inTheData = `lies in ${dataDirectory}, which is read-only; choose a target beside it`

/** Worded as for references, with the workspace in place of the hank directory. */
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
  for (const { workingDirectory, where: place } of beforeCopyCommands(placed)) {
    if (workingDirectory === 'lastCopied') complain(place)
  }
}

/** One copy of a hank, in the order of the file. */
interface Copy {
  readonly placed: PlacedCodon
  readonly where: string
  readonly from: string
  readonly to: string
  /** The target, normalised; empty for the workspace itself. */
  readonly target: string
}

/**
 * Copies onto something that will be there. The workspace does not exist yet, but some of what will be in it is known:
 * what earlier copies bring, unless the codon that made it archives it. Repetitions by a loop are left to
 * the rules for loops. All of these are warnings; targets with a bad spelling are left out.
 */
function checkExistingTargets(hank: HankFile, { hankDir }: CheckContext): readonly Problem[] {
  const made = createMade(hankDir)
  return copiesOf(hank).flatMap(copy => {
    const occupant = occupantOf(copy, made)
    made.add(copy)
    if (occupant === undefined) return []
    return [{ severity: 'warning', where: `${copy.where}.to`, message: messageAbout(copy, occupant) }]
  })
}

function messageAbout({ placed, to, target }: Copy, occupant: string): string {
  const about = `${codonLabel(placed)}: copy.to ${shown(to)}`
  if (target === '') return `${about} is ${occupant}. Name a directory or file inside it, such as "src".`
  return `${about} already exists when this copy runs, because ${occupant}. Choose another target, or archive what is there first.`
}

function copiesOf(hank: HankFile): readonly Copy[] {
  return codonsOf(hank).flatMap(placed =>
    (placed.codon.rigSetup ?? []).flatMap((operation, at) => {
      if (operation.type !== 'copy') return []
      const { from, to } = operation.copy
      const spelling = checkRelativeSpelling(to)
      if (!spelling.ok) return []
      const where = `${placed.where}.rigSetup[${at}].copy`
      return [{ placed, where, from, to, target: spelling.components.join('/') }]
    }),
  )
}

function occupantOf(copy: Copy, made: Made): string | undefined {
  const { target } = copy
  if (target === '') return 'the agent workspace itself'
  const earlier = made.find(copy)
  return earlier && `${codonLabel(earlier.placed)} copies to ${shown(earlier.to)}`
}

interface Made {
  add(copy: Copy): void
  /** An earlier copy that made the target of this one, something below it, or a tree that has it. */
  find(copy: Copy): Copy | undefined
}

function createMade(hankDir: string): Made {
  const targets = new Map<string, Copy>()
  /** Directories that were made, or already there, for the sake of a target in them. */
  const parents = new Map<string, Copy>()
  return {
    add(copy) {
      targets.set(copy.target, copy)
      for (const parent of parentsOf(copy.target)) parents.set(parent, copy)
    },
    find(copy) {
      const stays = (earlier: Copy | undefined) => earlier && !isArchivedBefore(earlier, copy)
      const same = [targets.get(copy.target), parents.get(copy.target)].find(stays)
      if (same) return same
      const above = parentsOf(copy.target).map(parent => targets.get(parent))
      return above.find(earlier => earlier && stays(earlier) && bringsAlong(earlier, copy, hankDir))
    },
  }
}

/** Deeper targets are compared as a whole only, so that the work does not grow with the square of the depth. */
const deepest = 64

/** `a/b`, `a` for `a/b/c`. */
function parentsOf(target: string): readonly string[] {
  const parts = target.split('/')
  if (parts.length > deepest) return []
  return parts.slice(1).map((_, at) => parts.slice(0, parts.length - 1 - at).join('/'))
}

/** Whether the tree that `earlier` copies has something at the target of `copy`. */
function bringsAlong(earlier: Copy, copy: Copy, hankDir: string): boolean {
  const inside = copy.target.slice(earlier.target.length + 1)
  const resolved = resolveInside(hankDir, `${earlier.from}/${inside}`)
  try {
    return resolved.ok && lstatSync(resolved.path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

/** Whether what `earlier` copied moves to the archive when its codon succeeds, or its loop ends, before `copy` runs. */
function isArchivedBefore(earlier: Copy, copy: Copy): boolean {
  const { codon, loop } = earlier.placed
  if (earlier.placed === copy.placed) return false
  const ofLoop = loop === copy.placed.loop ? [] : (loop?.archiveOnSuccess ?? [])
  return selects(codon.archiveOnSuccess ?? [], earlier.target) || selects(ofLoop, earlier.target)
}

function selects(patterns: readonly string[], target: string): boolean {
  if (patterns.length === 0) return false
  const matcher = createMatcher(patterns)
  if (!matcher.ok) return false
  return matcher.matches(target, true) || matcher.matches(`${target}/anything`, false)
}
