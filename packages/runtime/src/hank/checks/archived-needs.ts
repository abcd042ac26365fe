import { at, itemsOf, type PlacedCodon, type Subject } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { type Report, shown } from './check.ts'

/**
 * A directory that moves to the archive as a whole, though a codon after that works in it or copies outputs from it. Only
 * names without wildcards count: everything else may or may not be meant.
 */
export function checkArchivedNeeds(hank: HankFile, { warning }: Report): void {
  const needs: Needs = new Map()
  const found: (() => void)[] = []
  // From the end, so that what is needed is known before what comes earlier is looked at; told in the order of the file.
  const scan = (placed: Subject, archive: readonly string[] = []) => {
    for (const [index, pattern] of archive.entries()) {
      const complaint = complaintAbout(pattern, needs)
      if (complaint !== undefined)
        found.push(() => warning('output/archived', at(placed, `archiveOnSuccess[${index}]`), complaint))
    }
  }
  for (const item of itemsOf(hank).toReversed()) {
    if ('codons' in item) scan(item, item.loop.archiveOnSuccess)
    for (const placed of 'codons' in item ? item.codons.toReversed() : [item]) {
      scan(placed, placed.codon.archiveOnSuccess)
      addNeeds(placed, needs)
    }
  }
  for (const tell of found.toReversed()) tell()
}

/** For each directory what the next codon wants of it. */
type Needs = Map<string, string>

function complaintAbout(pattern: string, needs: Needs): string | undefined {
  const directory = nameOf(pattern)
  const need = pattern.startsWith('!') ? undefined : needs.get(directory)
  if (need === undefined) return undefined
  return `archiveOnSuccess ${shown(pattern)} moves that directory with everything in it, but ${need}. Name the files that may go, such as ${shown(`${directory}/*.tmp`)}.`
}

function addNeeds({ codon, label }: PlacedCodon, needs: Needs): void {
  const { outputFiles = [], checkpointedFiles = [] } = codon
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
