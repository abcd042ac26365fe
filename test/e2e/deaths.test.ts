import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { isAlive } from '../../packages/runtime/src/kit/index.ts'
import { type TreeShape, treeShapes } from '../../packages/runtime/test/kit/process-trees.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder } from '../support/hank-folder.ts'
import { leftovers } from '../support/marked-processes.ts'
import { tally } from '../support/proof.ts'
import { scriptedAgents } from '../support/scripted-acp.ts'
import { steer } from '../support/steering-client.ts'
import type { RunningCommand } from '../support/weave-command.ts'

/** The whole proof: every death meets every tree alone, with each agent. `WEAVE_PROOF_TABLE=<file>` writes the times down. */
const isProof = process.env['WEAVE_PROOF'] !== undefined
const tableFile = process.env['WEAVE_PROOF_TABLE']

const shapes = [
  'a child',
  'a grandchild',
  'a child in a session of its own',
  'a child under nohup',
  'a child whose parent has ended',
  'a daemon',
  'a child that ignores SIGTERM',
].map(named)

const agents = {
  'Claude Agent SDK': 'sonnet',
  'Pi SDK': 'openai/gpt-5',
  'an ACP agent': 'acp/scripted/sonnet',
} as const
type Agent = keyof typeof agents

interface Scene {
  readonly run: RunningCommand
  readonly execution: string
}

/** Ways in which the work of an agent ends before it is done. */
const deaths = {
  SIGTERM: ({ run }: Scene) => void run.kill('SIGTERM'),
  SIGINT: ({ run }: Scene) => void run.kill('SIGINT'),
  SIGHUP: ({ run }: Scene) => void run.kill('SIGHUP'),
  SIGKILL: ({ run }: Scene) => void run.kill('SIGKILL'),
  'force stop': async ({ execution }: Scene) => {
    const { client } = await steer(execution)
    expect(await client.send('codon.forceStop')).toMatchObject({ ok: true })
  },
  'server.shutdown': async ({ execution }: Scene) => {
    const { client } = await steer(execution)
    await client.send('server.shutdown')
  },
  'budget stop': ({ run }: Scene) => run.until(/budget exceeded in plant/),
} as const
type Death = keyof typeof deaths
const deathNames = Object.keys(deaths) as readonly Death[]
const agentNames = Object.keys(agents) as readonly Agent[]

const longest = 90_000

describe('no process of an agent outlives', () => {
  for (const meeting of meetings()) {
    const { death, agent, trees } = meeting
    const title = `${death}: ${trees.length === 1 ? trees[0]?.name : 'every kind of tree'}, ${agent}`
    const prove = () => meet(meeting)
    if (death === 'force stop' || death === 'budget stop') test(title, prove, longest)
    else if (death === 'SIGKILL') verifies(['safety/I7', 'd8/server-death'], title, prove, longest)
    else verifies(['safety/I7'], title, prove, longest)
  }
})

interface Meeting {
  readonly death: Death
  readonly agent: Agent
  readonly trees: readonly TreeShape[]
}

function meetings(): readonly Meeting[] {
  if (!isProof)
    return deathNames.map((death, at) => ({
      death,
      agent: agentNames[at % agentNames.length] ?? 'Pi SDK',
      trees: shapes,
    }))
  return deathNames.flatMap(death =>
    agentNames.flatMap(agent => shapes.map(shape => ({ death, agent, trees: [shape] }))),
  )
}

async function meet({ death, agent, trees }: Meeting): Promise<void> {
  const budget = death === 'budget stop' ? { budget: { maxDollars: 0.5 } } : {}
  const at = await hankFolder([codon('plant', { model: agents[agent], ...budget })], {
    'weave.json': scriptedAgents,
  })
  const pidFile = at.path('pids')
  at.write({ 'rehearsal.json': { codons: { plant: stepsFor(trees, pidFile) } } })
  const run = at.start('rehearse')
  await vi.waitFor(() => expect(pidsIn(pidFile).length, run.said()).toBe(trees.length), patience)
  const pids = pidsIn(pidFile)
  if (death !== 'budget stop') expect(pids.filter(isAlive), run.said()).toEqual(pids)
  const execution = at.execution()

  tally('orphan cases', trees.length)
  const ordered = performance.now()
  await deaths[death]({ run, execution })
  const begun = death === 'budget stop' ? performance.now() : ordered
  await vi.waitFor(() => expect([pids.filter(isAlive), leftovers(execution)]).toEqual([[], []]), {
    timeout: 10_000,
    interval: 20,
  })
  noteTime({ death, agent, trees }, performance.now() - begun)
  await run.ended
}

const patience = { timeout: 40_000, interval: 50 }

/** The trees are there when the first command has ended; the second is so dear that a budget of half a dollar is gone. */
function stepsFor(trees: readonly TreeShape[], pidFile: string): readonly object[] {
  const begin = `pids='${pidFile}' stay='echo $$ >> "$0"; exec sleep 300'`
  const plant = `${begin}\n{ ${trees.map(({ script }) => script).join('\n')}\n} </dev/null >/dev/null 2>&1`
  const grown = `until [ "$(wc -l < "$pids")" -ge ${trees.length} ]; do sleep 0.05; done 2>/dev/null`
  return [
    bash(`${plant}\n${grown}\necho planted`),
    bash('true', { usage: { input: 1_000_000, output: 100 } }),
    { hang: 120 },
  ]
}

function named(name: string): TreeShape {
  const shape = treeShapes.find(one => one.name === name)
  if (!shape) throw new Error(`there is no tree ${name}`)
  return shape
}

function pidsIn(file: string): readonly number[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number)
}

function noteTime({ death, agent, trees }: Meeting, ms: number): void {
  if (tableFile === undefined) return
  const names = trees.map(({ name }) => name).join(', ')
  appendFileSync(tableFile, `| ${death} | ${agent} | ${names} | ${(ms / 1000).toFixed(1)} |\n`)
}
