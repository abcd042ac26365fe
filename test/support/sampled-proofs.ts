import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { suites } from '../../scripts/proof/suites.ts'
import { root } from '../../scripts/repository.mjs'

/**
 * `npm test -- --whole --minutes=15`: the files of the proofs come last, and when the time is over those that have not begun are left to
 * `npm run proof:*`. Which these are is drawn by lot, so that each of them has its turn on a machine that is too slow for all.
 */
const proofs = new Set(
  Object.values(suites)
    .flat()
    .flatMap(({ files }) => files),
)

function isProof(path: string): boolean {
  return proofs.has(relative(root, path))
}

/** The proofs in an order of their own for each lot. */
export function proofsLast<F extends Pick<TestSpecification, 'moduleId'>>(
  files: readonly F[],
  lot: string,
): F[] {
  const rank = ({ moduleId }: F): string =>
    createHash('sha256')
      .update(`${lot} ${relative(root, moduleId)}`)
      .digest('hex')
  const drawn = files
    .filter(({ moduleId }) => isProof(moduleId))
    .toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1))
  return [...files.filter(({ moduleId }) => !isProof(moduleId)), ...drawn]
}

function sequencerOf(lot: string) {
  return class ProofsLast extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return proofsLast(await super.sort(files), lot)
    }
  }
}

/** In the place of a file whose turn came too late. */
const leftOut = `import { test } from 'vitest'
test.skip('is left to the proofs: the time is over', () => undefined)
`

function proofsInTime(deadline: number, say: (text: string) => void) {
  return {
    name: 'weave:proofs-in-time',
    enforce: 'pre' as const,
    transform(_code: string, id: string) {
      if (!isProof(id) || performance.now() < deadline) return undefined
      say(`left to the proofs, the time is over: ${relative(root, id)}`)
      return leftOut
    },
  }
}

/** What `scripts/test.mjs` says of a run with a limit. */
interface Limit {
  readonly minutes: string | undefined
  readonly lot: string | undefined
  readonly say: (text: string) => void
}

/** What such a run adds to the settings of the tests; undefined without a limit. */
export function sampledProofs({ minutes, lot = '', say }: Limit) {
  if (minutes === undefined) return undefined
  const deadline = performance.now() + Number(minutes) * 60_000
  return { plugins: [proofsInTime(deadline, say)], sequencer: sequencerOf(lot) }
}
