import { parseArgs } from 'node:util'
import { mutants } from '../../test/mutants/mutants.ts'
import { keepProofs } from './kept-proofs.ts'
import { openNoticed } from './noticed-mutants.ts'
import { openWorkCopy, type WorkCopy } from './work-copy.ts'

/**
 * `npm run proof:mutants`: breaks one rule at a time in a copy of the source and sees that the tests named for it fail. The
 * same tests must pass in the untouched copy. `--only <text>` takes the mutants whose rule or file has that text, `--jobs <n>`
 * works in n copies, `--cited` lets only tests notice that cite the rule. `--keep` puts into the committed files which were
 * noticed, and the count when it is all of them; `--unknown` takes only those of which that is not known.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    keep: { type: 'boolean', default: false },
    cited: { type: 'boolean', default: false },
    unknown: { type: 'boolean', default: false },
  },
})
const only = values.only ?? ''
const noticed = openNoticed()
const named = mutants.filter(({ rule, file }) => rule.includes(only) || file.includes(only))
const chosen = named.filter(mutant => !values.unknown || !noticed.has(mutant))
process.exitCode = named.length === 0 ? nothing() : await prove()

function nothing(): number {
  console.error(`No mutant's rule or file has "${only}".`)
  return 2
}

async function prove(): Promise<number> {
  // Without names of files every test would run.
  if (chosen.length === 0) {
    console.log('All of them are known to be noticed.')
    return 0
  }
  const begun = performance.now()
  const copies = Array.from({ length: Number(values.jobs) }, openWorkCopy)
  try {
    const files = [...new Set(chosen.flatMap(({ killedBy }) => killedBy))]
    console.log(`${files.length} test files in the untouched copy …`)
    const [first] = copies
    if (!first || !(await isHealthy(first, files))) return 1
    const survivors = await tryAll(copies)
    const seconds = Math.round((performance.now() - begun) / 1000)
    console.log(`\n${chosen.length - survivors.length} of ${chosen.length} mutants killed in ${seconds} s`)
    for (const line of survivors) console.log(`  alive: ${line}`)
    const counts = { 'broken rules, each noticed by a test': mutants.length }
    if (values.keep && noticed.isAll())
      keepProofs({ mutants: { holds: 'the tests notice', seconds: noticed.seconds(), counts } })
    return survivors.length > 0 ? 1 : 0
  } finally {
    for (const copy of copies) copy.close()
  }
}

/** A machine that is busy elsewhere may make a test fail once; one that fails twice would be taken for what notices a mutant. */
async function isHealthy(copy: WorkCopy, files: readonly string[]): Promise<boolean> {
  const failed = await copy.failedTests(files)
  for (const { file, name } of failed) console.log(`  failed, and is tried again: ${name} (${file})`)
  const again = failed.length > 0 ? await copy.failedTests([...new Set(failed.map(({ file }) => file))]) : []
  for (const { file, name } of again)
    console.error(`  fails without a mutant, mend it first: ${name} (${file})`)
  return again.length === 0
}

/** Every copy takes the next mutant when it is done with one. */
async function tryAll(copies: readonly WorkCopy[]): Promise<readonly string[]> {
  const waiting = [...chosen.entries()]
  const survivors: string[] = []
  const work = async (copy: WorkCopy): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, mutant] = next
      const begun = performance.now()
      const failed = await copy.failedTestsWith(mutant, { onlyCiting: values.cited })
      const words = `${mutant.rule} (${mutant.file})`
      console.log(
        `${String(index + 1).padStart(3)}  ${failed > 0 ? `killed by ${failed}` : 'ALIVE'}  ${words}`,
      )
      if (failed === 0) survivors.push(words)
      else if (values.keep) noticed.add(mutant, Math.round((performance.now() - begun) / 1000))
    }
  }
  await Promise.all(copies.map(work))
  return survivors
}
