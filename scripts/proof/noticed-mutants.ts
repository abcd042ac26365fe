import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from '../../test/mutants/mutant.ts'
import { mutants } from '../../test/mutants/mutants.ts'
import { root } from '../repository.mjs'

const file = 'bench/results/mutants.json'

/** Which mutants a test has noticed, each with its file and its tests as they are. What changes one of them makes it unknown. */
export function openNoticed() {
  const { noticed } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
    /** The seconds that it took, by mutant. */
    noticed: Record<string, number>
  }
  const has = (mutant: Mutant): boolean => noticed[digestOf(mutant)] !== undefined
  return {
    has,
    /** At once: all of them take hours, and what was noticed before something ended them was noticed. */
    add(mutant: Mutant, seconds: number): void {
      noticed[digestOf(mutant)] = seconds
      const known = mutants.filter(has).map(digestOf)
      const entries = known.map(digest => [digest, noticed[digest]])
      writeFileSync(
        join(root, file),
        `${JSON.stringify({ noticed: Object.fromEntries(entries) }, null, 2)}\n`,
      )
    },
    isAll: (): boolean => mutants.every(has),
    seconds: (): number => mutants.reduce((sum, mutant) => sum + (noticed[digestOf(mutant)] ?? 0), 0),
  }
}

function digestOf({ rule, file: path, find, replace, killedBy }: Mutant): string {
  const texts = [path, ...killedBy].map(name => readFileSync(join(root, name), 'utf8'))
  const all = JSON.stringify([rule, find, replace, path, killedBy, texts])
  return createHash('sha256').update(all).digest('hex').slice(0, 12)
}
