import { appendFileSync } from 'node:fs'

/** Heavy proofs run a sample of themselves by default and the whole with `WEAVE_PROOF=1`, as `npm run proof:*` does. */
export const isProof = process.env['WEAVE_PROOF'] === '1'

/** What `npm run proof:* -- --seed <n>` repeats; undefined outside of a proof. */
export const proofSeed: number | undefined =
  process.env['WEAVE_PROOF_SEED'] === undefined ? undefined : Number(process.env['WEAVE_PROOF_SEED'])

/** The time that a hook may take; in a proof half an hour, as its tests may: the whole of one prepares and removes much. */
export const hookMs = (limit: number): number => (isProof ? 1_800_000 : limit)

/** Adds to what `npm run proof:*` counts: kills survived, cuts tried. */
export function tally(what: string, count: number): void {
  const file = process.env['WEAVE_PROOF_TALLY']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ what, count })}\n`)
}
