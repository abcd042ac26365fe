import { type Collector, collector, type Problem } from '../../kit/index.ts'
import { codonLabel, codonsOf, type PlacedCodon } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import { onExceededOf, type Scopes } from './budget-scopes.ts'

/** Settings of a codon that a budget works against. All of these are warnings. */
export function checkPolicies(hank: HankFile, scopes: Scopes): readonly Problem[] {
  const problems = collector()
  for (const placed of codonsOf(hank)) {
    reportExhaustUnderTime(placed, scopes, problems)
    if (placed.codon.onFailure !== 'retry' || onExceededOf(placed, hank).policy !== 'fail') continue
    problems.warning(
      `${placed.where}.onFailure`,
      `${codonLabel(placed)}: onExceeded is "fail" and onFailure is "retry", but a codon that failed by its budget is not tried again. Set onExceeded to "complete" if the run shall go on.`,
    )
  }
  return problems.all()
}

function reportExhaustUnderTime(placed: PlacedCodon, scopes: Scopes, problems: Collector): void {
  if (placed.codon.exhaustWithPrompt === undefined) return
  const limit = nearestTimeLimit(placed, scopes)
  if (limit === undefined) return
  problems.warning(
    `${placed.where}.exhaustWithPrompt`,
    `${codonLabel(placed)}: exhaustWithPrompt goes on until the context is full, but ${limit} may end it before. Remove the one or the other, or limit it with maxExtensions.`,
  )
}

function nearestTimeLimit({ codon, loop }: PlacedCodon, scopes: Scopes): string | undefined {
  const own = codon.budget?.maxTimeSeconds
  if (own !== undefined) return `its time limit of ${own} s`
  const ofLoop = loop?.budget?.maxTimeSeconds
  if (ofLoop !== undefined) return `the time limit of ${ofLoop} s of its loop`
  const { maxTimeSeconds: ofRun, timeOrigin } = scopes
  if (ofRun === undefined) return undefined
  return `the time limit of ${ofRun} s of the whole run${timeOrigin === undefined ? '' : ` from ${timeOrigin}`}`
}
