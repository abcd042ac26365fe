import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, loopLabel, loopsOf } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { quoted } from './check.ts'

interface Bearer {
  readonly label: string
  readonly where: string
}

/** Ids of codons and loops are unique in the whole hank; names of codons should be. */
export function checkIdentity(hank: HankFile): readonly Problem[] {
  const problems = collector()
  reportControlCharacters(hank, problems)
  reportDuplicateIds(hank, problems)
  reportRuntimeIds(hank, problems)
  reportDuplicateNames(hank, problems)
  return problems.all()
}

/** Ids become names of files and refs and are printed everywhere; a NUL even ends them there. */
function reportControlCharacters(hank: HankFile, problems: Collector): void {
  for (const { id, label, where } of identified(hank)) {
    const found = /\p{Cc}/u.exec(id)?.[0]
    if (found === undefined) continue
    const code = found.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()
    problems.error(
      `${where}.id`,
      `${label}: the id ${quoted(id)} has a control character (U+${code}) in it. Take it out.`,
    )
  }
}

function reportDuplicateIds(hank: HankFile, problems: Collector): void {
  const seen = new Map<string, Bearer>()
  for (const { id, label, where } of identified(hank)) {
    const first = seen.get(id)
    if (!first) seen.set(id, { label, where })
    else
      problems.error(
        `${where}.id`,
        `${label}: the id ${quoted(id)} is already taken by ${first.label} at ${first.where}. Ids are unique in the whole hank, loops and their codons included; choose another one.`,
      )
  }
}

/** Loops where they stand, each before its codons. */
function identified(hank: HankFile): readonly (Bearer & { readonly id: string })[] {
  const ahead = new Map(loopsOf(hank).map(placed => [placed.loop, placed]))
  return codonsOf(hank).flatMap(placed => {
    const codon = { id: placed.codon.id, label: codonLabel(placed), where: placed.where }
    const loop = placed.loop && ahead.get(placed.loop)
    if (!loop) return [codon]
    ahead.delete(loop.loop)
    return [{ id: loop.loop.id, label: loopLabel(loop), where: loop.where }, codon]
  })
}

/** At run time iteration n of a loop codon is called `id#n`, so no other codon may have that id. */
function reportRuntimeIds(hank: HankFile, problems: Collector): void {
  const codons = codonsOf(hank)
  const repeated = new Map(codons.flatMap(placed => (placed.loop ? [[placed.codon.id, placed]] : [])))
  for (const placed of codons) {
    const base = /^(.+)#(?:0|[1-9]\d*)$/s.exec(placed.codon.id)?.[1]
    const other = base === undefined ? undefined : repeated.get(base)
    if (!other) continue
    problems.error(
      `${placed.where}.id`,
      `${codonLabel(placed)}: the id ${quoted(placed.codon.id)} is what an iteration of ${codonLabel(other)} is called when it runs. Choose another id.`,
    )
  }
}

function reportDuplicateNames(hank: HankFile, problems: Collector): void {
  const seen = new Map<string, string>()
  for (const placed of codonsOf(hank)) {
    const { name } = placed.codon
    const first = seen.get(name)
    if (first === undefined) seen.set(name, codonLabel(placed))
    else
      problems.warning(
        `${placed.where}.name`,
        `${codonLabel(placed)}: the name ${quoted(name)} is also that of ${first}. Give each codon its own name to tell them apart.`,
      )
  }
}
