import { at, codonsOf, itemsOf, type PlacedCodon, type PlacedLoop } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { quoted, type Report } from './check.ts'

/** Ids of codons and loops are unique in the whole hank; names of codons should be. */
export function checkIdentity(hank: HankFile, report: Report): void {
  const identified = itemsOf(hank).flatMap(item => ('codons' in item ? [item, ...item.codons] : [item]))
  for (const item of identified) reportControlCharacter(item, report)
  reportDuplicateIds(identified, report)
  reportRuntimeIds(codonsOf(hank), report)
  reportDuplicateNames(codonsOf(hank), report)
}

type Identified = PlacedCodon | PlacedLoop

/** Ids become names of files and refs and are printed everywhere; a NUL even ends them there. */
function reportControlCharacter(item: Identified, { error }: Report): void {
  const found = /\p{Cc}/u.exec(item.id)?.[0]
  if (found === undefined) return
  const code = found.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()
  const message = `the id ${quoted(item.id)} has a control character (U+${code}) in it. Take it out.`
  error('hank/id', at(item, 'id'), message)
}

function reportDuplicateIds(identified: readonly Identified[], { error }: Report): void {
  const seen = new Map<string, Identified>()
  for (const item of identified) {
    const first = seen.get(item.id)
    if (!first) seen.set(item.id, item)
    else
      error(
        'hank/duplicate-id',
        at(item, 'id'),
        `the id ${quoted(item.id)} is already taken by ${first.label} at ${first.where}. Ids are unique in the whole hank, loops and their codons included; choose another one.`,
      )
  }
}

/** At run time iteration n of a loop codon is called `id#n`, so no other codon may have that id. */
function reportRuntimeIds(codons: readonly PlacedCodon[], { error }: Report): void {
  const repeated = new Map(codons.flatMap(placed => (placed.loop ? [[placed.id, placed]] : [])))
  for (const placed of codons) {
    const { id } = placed
    const other = repeated.get(/^(.+)#(?:0|[1-9]\d*)$/s.exec(id)?.[1] ?? '')
    if (!other) continue
    error(
      'hank/duplicate-id',
      at(placed, 'id'),
      `the id ${quoted(id)} is what an iteration of ${other.label} is called when it runs. Choose another id.`,
    )
  }
}

function reportDuplicateNames(codons: readonly PlacedCodon[], { warning }: Report): void {
  const seen = new Map<string, string>()
  for (const placed of codons) {
    const { name } = placed.codon
    const first = seen.get(name)
    if (first === undefined) seen.set(name, placed.label)
    else
      warning(
        'hank/duplicate-name',
        at(placed, 'name'),
        `the name ${quoted(name)} is also that of ${first}. Give each codon its own name to tell them apart.`,
      )
  }
}
