import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { disturb, plannedFaults } from '../support/fleet-faults.ts'
import { type FleetHome, fleetHome } from '../support/fleet-home.ts'
import { expectOrder, type Judged, judged, noted, rowsOf } from '../support/fleet-judge.ts'
import { bash, codon, type HankFolder, lightCodon } from '../support/hank-folder.ts'
import { hookMs, isProof, proofSeed, tally } from '../support/proof.ts'

let at: FleetHome
let states: string

beforeAll(async () => {
  at = await fleetHome()
  states = join(at.home, 'states')
  mkdirSync(states)
}, hookMs(120_000))

afterAll(() => at.close(), hookMs(60_000))

const ids = ['a', 'b', 'c', 'd', 'e', 'f']
const number = (name: string, usual: number): number => Number(process.env[name] ?? usual)
const faults = isProof ? number('WEAVE_PROOF_FAULTS', 1_000) : 20
const executions = isProof ? number('WEAVE_PROOF_EXECUTIONS', 300) : 20
/** Of them: rehearsed, with a process for each agent. Agents of the others are a part of the process of the turn. */
const rehearsed = Math.ceil(executions / 5)
const fleet = { maxBarren: 100 }

/** Each codon leaves a file that depends on those of all before it, and that no checkpoint has. */
function chained(id: string): object {
  const before = ids.slice(0, ids.indexOf(id)).map(each => `chain-${each}.txt`)
  return noted(id, { after: `; cat /dev/null ${before.join(' ')} | sha256sum > chain-${id}.txt` })
}

const named = (letter: string, count: number) => Array.from({ length: count }, (_, n) => `${letter}${n}`)

function scripted(sets: readonly string[]): HankFolder {
  return at.place(
    ids.map(id => codon(id, chained(id))),
    sets,
    { fleet },
  )
}

/** What becomes of an agent that is killed is the business of the hank: it is tried again. */
function withAgents(sets: readonly string[]): HankFolder {
  const again = { onFailure: 'retry', retryConfig: { maxAttempts: 10, delayMs: 10 } }
  const script = ids.map(id => [id, [bash(`cat chain-${id}.txt > ${id}.md; sleep 0.3`), { say: 'Done.' }]])
  return at.place(
    ids.map(id => lightCodon(id, { ...chained(id), ...again })),
    sets,
    { fleet, 'rehearsal.json': { codons: Object.fromEntries(script) } },
  )
}

/** What is left of executions that nobody disturbed. */
async function undisturbed(hank: HankFolder, ...words: readonly string[]): Promise<string> {
  const batch = await at.submitted(hank, ...words)
  const worker = at.worker(hank, ['--until-idle', '--slots', '1'], { SCRIPTED_STATES: states })
  expect(await worker.ended, worker.said()).toBe(0)
  const [row] = await rowsOf(at, batch)
  if (!row) throw new Error('nothing was submitted')
  return (await judged(at, row, { codons: ids, states })).tree
}

interface Expected {
  readonly batch: string
  readonly tree: string
}

/** All of a batch succeeded as if nothing had happened. */
async function expectAll({ batch, tree }: Expected): Promise<void> {
  const rows = await rowsOf(at, batch)
  const others = rows.filter(({ state }) => state !== 'succeeded')
  expect(others.map(({ id, state, reason }) => `${id}: ${state}, ${reason}`)).toEqual([])
  tally('runs of codons, none after it was published', await expectOrder(at, batch))
  for (const row of rows) {
    const found = await judged(at, row, { codons: ids, states })
    const cutOff = cutOffIn(found)
    const isOwed = (line: string): boolean => !cutOff.some(id => line.startsWith(`${id}.md `))
    expect(found.tree, `${row.id}\n${found.story}\n`).toBe(tree.split('\n').filter(isOwed).join('\n'))
    tally('agents cut off before they wrote their file', cutOff.length)
    // At least its last turn came to an end.
    expect(found.states, row.id).toBeGreaterThan(0)
    tally('states that were the fold of their journal', found.states)
  }
  tally('executions under faults', rows.length)
}

/**
 * The agents whose files are not there, and need not be: another attempt goes on with the next step of the script, so one that is
 * cut off between the answer of its model and its tool never writes. The journal must tell of it: of an attempt that failed, and
 * of no tool that answered.
 */
function cutOffIn({ tree, answered, failed }: Judged): readonly string[] {
  const lines = tree.split('\n')
  return ids.filter(
    id => failed.has(id) && !answered.has(id) && !lines.some(line => line.startsWith(`${id}.md `)),
  )
}

describe('a fleet under faults', () => {
  verifies(
    ['fleet/chaos', 'fleet/one-writer', 'fleet/not-again'],
    'ends every execution as an undisturbed one, under random kills, stops, engine restarts and store errors',
    async () => {
      const light = scripted(named('w', executions - rehearsed))
      const heavy = withAgents(named('r', rehearsed))
      const lightTree = await undisturbed(scripted(['calm']))
      const heavyTree = await undisturbed(withAgents(['still']), '--rehearse')
      const batches = [await at.submitted(light), await at.submitted(heavy, '--rehearse')] as const
      const hits = await disturb(at, {
        faults: plannedFaults(proofSeed ?? 7, faults),
        batches,
        codons: executions * ids.length,
        workers: 2,
        start: () => at.worker(light, ['--slots', '4'], { SCRIPTED_STATES: states }),
      })
      await expectAll({ batch: batches[0], tree: lightTree })
      await expectAll({ batch: batches[1], tree: heavyTree })
      for (const [kind, count] of hits) tally(kind, count)
      const survived = [...hits.values()].reduce((sum, count) => sum + count, 0)
      expect(survived).toBe(faults)
      tally('faults survived', survived)
    },
    isProof ? 7_200_000 : 240_000,
  )
})
