import type { Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, loopLabel, loopsOf, type PlacedCodon } from '../codons.ts'
import type { HankFile, Loop } from '../schema.ts'
import { shown } from './check.ts'

/**
 * A directory that moves to the archive as a whole, though a codon after that works in it or copies outputs from it. Only
 * names without wildcards count: everything else may or may not be meant.
 */
export function checkArchivedNeeds(hank: HankFile): readonly Problem[] {
  const loops = new Map(loopsOf(hank).map(placed => [placed.loop, placed]))
  const needs: Needs = new Map()
  const problems: Problem[] = []
  let inside: Loop | undefined
  // From the end, so that what is needed is known before what comes earlier is looked at.
  for (const placed of codonsOf(hank).toReversed()) {
    const { codon, where, loop } = placed
    const ofLoop = loop && loop !== inside ? loops.get(loop) : undefined
    inside = loop
    if (ofLoop) {
      const archive = { label: loopLabel(ofLoop), where: ofLoop.where, needs }
      problems.push(...complaints(ofLoop.loop.archiveOnSuccess, archive))
    }
    problems.push(...complaints(codon.archiveOnSuccess, { label: codonLabel(placed), where, needs }))
    addNeeds(placed, needs)
  }
  return problems.toReversed()
}

/** For each directory what the next codon wants of it. */
type Needs = Map<string, string>

interface Archive {
  readonly label: string
  readonly where: string
  readonly needs: Needs
}

function complaints(
  patterns: readonly string[] | undefined,
  { label, where, needs }: Archive,
): readonly Problem[] {
  return (patterns ?? []).flatMap((pattern, at) => {
    const directory = nameOf(pattern)
    const need = pattern.startsWith('!') ? undefined : needs.get(directory)
    if (need === undefined) return []
    const message = `${label}: archiveOnSuccess ${shown(pattern)} moves that directory with everything in it, but ${need}. Name the files that may go, such as ${shown(`${directory}/*.tmp`)}.`
    return [{ severity: 'warning' as const, where: `${where}.archiveOnSuccess[${at}]`, message }]
  })
}

function addNeeds(placed: PlacedCodon, needs: Needs): void {
  const { outputFiles = [], checkpointedFiles = [] } = placed.codon
  const label = codonLabel(placed)
  for (const file of checkpointedFiles) add(file, `${label} works on ${shown(file)}`)
  for (const file of outputFiles.flatMap(({ copy }) => copy))
    add(file, `${label} copies the output ${shown(file)}`)

  function add(pattern: string, words: string): void {
    if (pattern.startsWith('!')) return
    const names = nameOf(pattern).split('/', deepest)
    for (let depth = 1; depth < names.length && !wildcard.test(names[depth - 1] ?? ''); depth++)
      needs.set(names.slice(0, depth).join('/'), words)
  }
}

/** More names of a path are not looked at, so that the work does not grow with the square of the depth. */
const deepest = 64
const wildcard = /[*?[\]\\]/

/** Without the slashes around it, which mean nothing for a path that has one inside. */
function nameOf(pattern: string): string {
  return pattern.replace(/^\/+|\/+$/g, '')
}
