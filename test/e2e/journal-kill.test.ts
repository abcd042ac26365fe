import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { connect, type ServerEvent } from '../../packages/client/src/index.ts'
import { createHistory } from '../../packages/runtime/src/journal/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolderIn } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'
import { portOf } from '../support/steering-client.ts'
import { tempDir } from '../support/temp-dir.ts'
import { countCalls, type Fault, startTraced } from '../support/traced.ts'
import { scriptedWeave } from '../support/weave-command.ts'

beforeAll(scriptedWeave, 120_000)

const codons = ['a', 'b']

interface Place extends HankFolder {
  /** The execution and its journal, known by name before there are any. */
  readonly dir: string
  readonly journal: string
}

function place(base: string, name: string): Place {
  const at = hankFolderIn(
    join(base, name),
    codons.map(id => codon(id)),
  )
  const dir = at.path('execution')
  return { ...at, dir, journal: join(dir, '.weave/journal/events-000000000001.jsonl') }
}

const headless = ({ dir }: Place) => ['--headless', '-e', dir]

describe('a server that is killed in the middle of its record', () => {
  verifies(
    ['safety/I1', 'safety/I2'],
    'has written all that a client was told; the journal is whole but for its tail, and the run comes to its end',
    async () => {
      const base = await tempDir({ inMemory: true })
      const first = place(base, 'counted')
      const calls = ['write', 'fdatasync']
      const counts = await countCalls({ cwd: first.cwd, words: headless(first) }, calls, first.journal)
      const faults = calls.flatMap(call => momentsOf(counts[call] ?? 0).map(nth => ({ call, nth })))
      expect(faults.length).toBeGreaterThan(isProof ? 40 : 3)
      let told = 0
      let kills = 0
      for (const [at, { call, nth }] of faults.entries()) {
        const there = place(base, String(at))
        const survived = await survive(there, { call, nth, does: 'signal=SIGKILL', file: there.journal })
        told += survived.told
        if (survived.killed) kills++
        rmSync(there.cwd, { recursive: true })
      }
      expect(told).toBeGreaterThan(20)
      expect(kills).toBeGreaterThan(faults.length / 2)
      tally('kills survived', kills)
      tally('events a client was told before a kill', told)
    },
    600_000,
  )
})

/** Every one, or a few of them. */
function momentsOf(count: number): readonly number[] {
  const step = isProof ? 1 : Math.ceil(count / 3)
  return Array.from({ length: count }, (_, at) => at + 1).filter(nth => nth % step === 0)
}

/** How many events the client had heard of, and whether it came to the kill at all. */
async function survive(
  at: Place,
  fault: Fault,
): Promise<{ readonly told: number; readonly killed: boolean }> {
  const { told, killed } = await watchUntilKilled(at, fault)
  const context = `${fault.call} ${fault.nth}`
  const written = await readJournal(at)
  expect(written.problems, context).toEqual([])
  expect(written.seqs, context).toEqual(written.seqs.map((_, index) => index + 1))
  for (const event of told) expect(written.texts, context).toContain(JSON.stringify(event))
  const last = await at.scripted(...headless(at))
  expect(last.status, `${context}\n${last.stdout}\n${last.stderr}`).toBe(0)
  expect(
    readdirSync(join(at.dir, 'agentRoot'))
      .filter(name => name.endsWith('.md'))
      .sort(),
    context,
  ).toEqual(codons.map(id => `${id}.md`))
  return { told: told.length, killed }
}

/** All journaled events that reached a client. */
async function watchUntilKilled(
  at: Place,
  fault: Fault,
): Promise<{ readonly told: readonly ServerEvent[]; readonly killed: boolean }> {
  const words = ['--headless', '--no-autostart', '--keep-alive', '-e', at.dir]
  const child = await startTraced({ cwd: at.cwd, words, fault })
  const ended = new Promise<boolean>(resolve =>
    child.on('close', (_, signal) => resolve(signal === 'SIGKILL')),
  )
  let over = false
  void ended.then(() => {
    over = true
  })
  const told: ServerEvent[] = []
  while (!over && !hasPort(at)) await pause(10)
  if (over) return { told, killed: await ended }
  const client = connect(`ws://127.0.0.1:${portOf(at.dir)}`, {
    mode: 'readandwrite',
    since: 0,
    socket: WebSocket,
    reconnect: false,
  })
  let done = 0
  client.onAny(event => {
    if (event.seq !== undefined) told.push(event)
    if (event.type !== 'codon.completed') return
    done++
    void client.send(done < codons.length ? 'codon.next' : 'server.shutdown', {}).catch(() => undefined)
  })
  const opened = await client.opened
  if (opened.ok) void client.send('codon.next', {}).catch(() => undefined)
  const killed = await ended
  client.close()
  return { told, killed }
}

/** The lock is written whole, and says the port once there is one. */
function hasPort({ dir }: Place): boolean {
  const lock = join(dir, '.weave/lock.json')
  return existsSync(lock) && readFileSync(lock, 'utf8').includes('"port"') && portOf(dir) > 0
}

async function readJournal({ dir, journal }: Place) {
  const texts: string[] = []
  const seqs: number[] = []
  const problems: unknown[] = []
  if (!existsSync(journal)) return { texts, seqs, problems }
  const history = createHistory({ dir: join(dir, '.weave/journal') })
  for await (const page of history.pages()) {
    problems.push(...page.problems)
    for (const stored of page.events) {
      seqs.push(stored.seq)
      texts.push(JSON.stringify(await history.event(stored)))
    }
  }
  return { texts, seqs, problems }
}
