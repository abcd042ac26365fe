import { lstatSync } from 'node:fs'
import { posix } from 'node:path'
import { checkRelativeSpelling, resolveInside } from '../../files/index.ts'
import { createMatcher } from '../../kit/index.ts'
import { at, beforeCopyCommands, codonsOf, type PlacedCodon } from '../codons.ts'
import { longestPath, spellingFault } from '../references.ts'
import type { HankFile } from '../schema.ts'
import { type CheckContext, type Report, shown } from './check.ts'

/**
 * Where rig operations write and run. The workspace does not exist yet, so containment is a matter of spelling here; when
 * the copy runs, it is checked again on the disk.
 */
export function checkRigTargets(hank: HankFile, report: Report, { hankDir }: CheckContext): void {
  for (const placed of codonsOf(hank)) {
    for (const copy of copiesOf(placed)) {
      const fault = faultOf(copy)
      if (fault !== undefined) report.error('rig/target', at(placed, `${copy.field}.to`), `copy.to ${fault}`)
    }
    reportLastCopied(placed, report)
  }
  reportExistingTargets(hank, hankDir, report)
}

/** One copy of a hank, in the order of the file. */
interface Copy {
  readonly placed: PlacedCodon
  /** Of the codon: `rigSetup[0].copy`. */
  readonly field: string
  readonly from: string
  readonly to: string
  readonly spelling: ReturnType<typeof checkRelativeSpelling>
  /** The target, normalised; empty for the workspace itself, and for one with a bad spelling. */
  readonly target: string
}

function copiesOf(placed: PlacedCodon): readonly Copy[] {
  return (placed.codon.rigSetup ?? []).flatMap((operation, index) => {
    if (operation.type !== 'copy') return []
    const spelling = checkRelativeSpelling(operation.copy.to)
    const target = spelling.ok ? spelling.components.join('/') : ''
    return [{ ...operation.copy, placed, field: `rigSetup[${index}].copy`, spelling, target }]
  })
}

function faultOf({ to, spelling, target }: Copy): string | undefined {
  if (!spelling.ok) {
    return spellingFault(spelling.reason, shown(to), {
      absolute: 'copy targets must be relative paths inside the agent workspace',
      separator: 'copy targets use / as the only path separator',
      outside: `${shown(to)} resolves outside the agent workspace (${shown(posix.normalize(to))}); choose a target inside it`,
    })
  }
  if (to.length > longestPath) return `is longer than ${longestPath} characters`
  return target.split('/', 1)[0] === dataDirectory ? `${shown(to)} ${inTheData}` : undefined
}

/** Where the workspace shows the data. */
const dataDirectory = 'read_only_data_source'
const inTheData = `lies in ${dataDirectory}, which is read-only; choose a target beside it`

/**
 * `lastCopied` means the last copy of the same rig, because a codon's rig may run alone, when the codon is redone. The
 * commands before an output copy come after the whole rig.
 */
function reportLastCopied(placed: PlacedCodon, { error }: Report): void {
  const rig = (placed.codon.rigSetup ?? []).map((operation, index) => ({
    ...(operation.type === 'command' && operation.command),
    where: `${placed.where}.rigSetup[${index}]`,
    isCopy: operation.type === 'copy',
  }))
  const firstCopy = rig.findIndex(({ isCopy }) => isCopy)
  const before = firstCopy === -1 ? [...rig, ...beforeCopyCommands(placed)] : rig.slice(0, firstCopy)
  for (const { where, workingDirectory } of before) {
    if (workingDirectory !== 'lastCopied') continue
    error(
      'rig/last-copied',
      { where: `${where}.command.workingDirectory`, label: placed.label },
      'workingDirectory "lastCopied" needs a copy operation before it in the rigSetup of this codon. Add one, or use "project".',
    )
  }
}

/**
 * Copies onto something that will be there. The workspace does not exist yet, but some of what will be in it is known:
 * what earlier copies bring, unless the codon that made it archives it. Repetitions by a loop are left to the rules for
 * loops. All of these are warnings; targets with a bad spelling are left out.
 */
function reportExistingTargets(hank: HankFile, hankDir: string, { warning }: Report): void {
  const made = createMade(hankDir)
  for (const copy of codonsOf(hank).flatMap(copiesOf)) {
    if (!copy.spelling.ok) continue
    const { placed, field, to, target } = copy
    const earlier = target === '' ? undefined : made.find(copy)
    made.add(copy)
    const about = at(placed, `${field}.to`)
    if (target === '') {
      warning(
        'rig/workspace',
        about,
        `copy.to ${shown(to)} is the agent workspace itself. Name a directory or file inside it, such as "src".`,
      )
    }
    if (!earlier) continue
    const why = `${earlier.placed.label} copies to ${shown(earlier.to)}`
    warning(
      'rig/exists',
      about,
      `copy.to ${shown(to)} already exists when this copy runs, because ${why}. Choose another target, or archive what is there first.`,
    )
  }
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
