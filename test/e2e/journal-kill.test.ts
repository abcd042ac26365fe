import { existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect } from 'vitest'
import { WebSocket } from 'ws'
import { connect, type ServerEvent } from '../../packages/client/src/index.ts'
import { createHistory, type RecordedEvent } from '../../packages/runtime/src/journal/index.ts'
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

  verifies(
    ['3/end-emits-completed'],
    'tells of the end of a codon at the next start, if it was killed between that and the word of it',
    async () => {
      const at = place(await tempDir({ inMemory: true }), 'untold')
      expect(await at.scripted(...headless(at))).toMatchObject({ status: 0 })
      const lines = readFileSync(at.journal, 'utf8').split('\n')
      const ends = lines.flatMap((line, index) => (/"to":"completed"/.test(line) ? [index] : []))
      expect(ends).toHaveLength(codons.length)
      // As a kill leaves it: all up to the end of the first codon, which is not told yet.
      truncateSync(at.journal, Buffer.byteLength(`${lines.slice(0, (ends[0] ?? 0) + 1).join('\n')}\n`))
      rmSync(join(at.dir, '.weave/state.json'))
      expect(toldEnds(await readJournal(at))).toEqual([])
      expect(await at.scripted(...headless(at))).toMatchObject({ status: 0 })
      const written = await readJournal(at)
      expect(toldEnds(written)).toEqual(codons)
      const [told] = written.events.filter(({ type }) => type === 'codon.completed')
      expect(told?.data).toMatchObject({ success: true, exitStatus: { type: 'success' } })
      expect(await at.scripted(...headless(at))).toMatchObject({ status: 0 })
      expect(toldEnds(await readJournal(at))).toEqual(codons)
    },
    120_000,
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
  // A codon that was cut off itself, and ran again, has ended once.
  expect(toldEnds(await readJournal(at)), context).toEqual(codons)
  return { told: told.length, killed }
}

/** The codons that were completed, as the journal tells it. */
function toldEnds({ events }: Awaited<ReturnType<typeof readJournal>>): readonly string[] {
  return events.flatMap(event =>
    event.type === 'codon.completed' && event.data.success ? [event.data.codonId] : [],
  )
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
  const events: RecordedEvent[] = []
  const texts: string[] = []
  const seqs: number[] = []
  const problems: unknown[] = []
  if (!existsSync(journal)) return { events, texts, seqs, problems }
  const history = createHistory({ dir: join(dir, '.weave/journal') })
  for await (const page of history.pages()) {
    problems.push(...page.problems)
    for (const stored of page.events) {
      seqs.push(stored.seq)
      const event = await history.event(stored)
      if (event) events.push(event)
      texts.push(JSON.stringify(event))
    }
  }
  return { events, texts, seqs, problems }
}
