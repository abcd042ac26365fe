import { type PlanDifference, secretsOf } from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { columns } from '../terminal.ts'

const longestValue = 120

/** Codon, field, old → new. */
export function differenceLines(differences: readonly PlanDifference[]): readonly string[] {
  return columns(
    differences.map(difference => {
      const { owner, field } = difference
      return [harmlessLine(owner), harmlessLine(field), changeWords(difference)]
    }),
  )
}

function changeWords({ field, before, after }: PlanDifference): string {
  if (field === '') return before === undefined ? 'is new' : 'is gone'
  const value = (json: string | undefined): string =>
    json === undefined ? 'nothing' : harmlessLine(shown(field, json), longestValue)
  return `${value(before)} → ${value(after)}`
}

/** What a variable's name marks as a secret is not shown. */
function shown(field: string, json: string): string {
  const [, variable] = /^env\.(.+)$/.exec(field) ?? []
  const isSecret = variable !== undefined && secretsOf({ [variable]: json }).length > 0
  return isSecret ? '"…"' : json
}
