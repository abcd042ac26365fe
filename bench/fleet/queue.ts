import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Submission, submit } from '../../packages/fleet/src/index.ts'
import { queueNameOf } from '../../packages/fleet/src/sql/queue-name.ts'
import { atLeast, atMost, type Figure, median, seconds } from '../measure.ts'
import { type FleetHome, withFleetHome } from './home.ts'

const executions = 10_000
const goalSubmitted = 2_000
const goalTurns = 100
const goalFetchMs = 50
const rounds = 3
/** As many turns at once as a worker with eight slots has under way. */
const lanes = 8
const emptyTurns = 2_000
const crowd = 1_000_000
const fetches = 25

/** A6: how fast executions are submitted, how fast turns without work go by, and how fast one is found among a million. */
export async function queueFigures(): Promise<readonly Figure[]> {
  const first = await withFleetHome(async at => [await submitted(at), await fromOutside(at), await turns(at)])
  return [...first, ...(await withFleetHome(fetched))]
}

const usual = { priority: 0, weight: 1, pool: 'default', lease: 120, options: {} }

/** One data set, so that what is measured is not the disk of the store. */
function wish({ home }: FleetHome, count: number): Submission {
  const [hankFolder, path] = [join(home, 'hank'), join(home, 'set')]
  for (const folder of [hankFolder, path]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(hankFolder, 'hank.json'), JSON.stringify({ hank: [] }))
  writeFileSync(join(path, 'fact.txt'), 'A fact.\n')
  const data = Array.from({ length: count }, (_, at) => ({ path, name: `set-${at}` }))
  return { ...usual, name: 'Bench', hankFolder, data }
}

/** Batch, executions and jobs in one transaction. */
async function submitted(at: FleetHome): Promise<Figure> {
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const given = wish(at, executions)
    rates.push(executions / (await seconds(() => submit(given, at.fleet))))
  }
  const what = `${count(executions)} executions submitted, against ${count(goalSubmitted)}/s`
  return { id: 'A6 submit', what, ...rate('executions/s', rates, goalSubmitted), goal: atLeast(1) }
}

/** The same as a person does it: every data set is read, hashed, packed and put into the store. */
async function fromOutside({ home, weave }: FleetHome): Promise<Figure> {
  const folder = join(home, 'many')
  for (let at = 0; at < executions; at++) {
    const set = join(folder, 'sets', `set-${at}`)
    mkdirSync(set, { recursive: true })
    writeFileSync(join(set, 'fact.txt'), `Fact ${at}.\n`)
  }
  const codon = { id: 'a', name: 'A', model: 'sonnet', continuationMode: 'fresh', promptText: 'Say ok.' }
  writeFileSync(join(folder, 'hank.json'), JSON.stringify({ $schema: 'x', hank: [codon] }))
  const words = ['submit', '.', '--data-glob', 'sets/*', '--skip-self-test', '--rehearse', '--pool', 'nobody']
  const took = await seconds(() => weave(words, folder))
  const what = `weave submit of ${count(executions)} data sets of one file each, against ${count(goalSubmitted)}/s`
  return { id: 'A6 command', what, ...rate('executions/s', [executions / took], goalSubmitted) }
}

/** From the question what is to be done to the end in the tables, as a worker asks it, with nothing to do in between. */
async function turns(at: FleetHome): Promise<Figure> {
  const { batch } = await submit({ ...wish(at, emptyTurns), pool: 'bench' }, at.fleet)
  await registered(at)
  let left = emptyTurns
  const took = await seconds(() =>
    Promise.all(
      Array.from({ length: lanes }, async () => {
        while (left-- > 0) await emptyTurn(at, batch)
      }),
    ),
  )
  const what = `turns without work, from the look for one to its end, against ${goalTurns}/s`
  return { id: 'A6 turns', what, ...rate('turns/s', [emptyTurns / took], goalTurns), goal: atLeast(1) }
}

async function emptyTurn(at: FleetHome, batch: string): Promise<void> {
  const { database, queue } = at.fleet.engine
  const claimed = await claim(at, batch)
  if (!claimed) throw new Error('there is nothing to claim')
  const { id, epoch, job } = claimed
  const head = JSON.stringify({ seq: 1, epoch: Number(epoch), parts: ['0'.repeat(64)] })
  await database.query('select fleet.publish($1, $2, 1, $3, null, 0)', [id, epoch, head])
  await database.transaction(async sql => {
    await sql.query("select fleet.finish($1, $2, 'succeeded', null)", [id, epoch])
    await queue.done(queueNameOf(batch, 'bench'), job, sql)
  })
}

interface Claimed {
  readonly id: string
  readonly epoch: string
  readonly job: string
}

const worker = 'bench'

async function registered({ fleet }: FleetHome): Promise<void> {
  await fleet.engine.database.query("select fleet.worker_up($1, 'h', 1, '0.0.0', '{bench}', 8, 0)", [worker])
}

/** As a worker looks for a turn: which batch deserves it, then job and claim in one transaction. */
async function claim({ fleet }: FleetHome, batch: string): Promise<Claimed | undefined> {
  const { database, queue } = fleet.engine
  await database.query('select * from fleet.next_batches($1, $2, 32, null)', [['bench'], [1]])
  return database.transaction(async sql => {
    const [job] = await queue.take(queueNameOf(batch, 'bench'), 1, sql)
    if (!job) return undefined
    const values = [job.execution, worker, job.id]
    const [row] = await sql.query<Claimed>('select id, epoch, job from fleet.claim($1, $2, $3, 3)', values)
    return row
  })
}

async function fetched(at: FleetHome): Promise<readonly Figure[]> {
  const { batch } = await submit({ ...wish(at, 1), pool: 'bench' }, at.fleet)
  await crowded(at, batch)
  await registered(at)
  const { database, queue } = at.fleet.engine
  const [fetching, looking]: [number[], number[]] = [[], []]
  for (let round = 0; round < fetches; round++) {
    const work = () => database.transaction(sql => queue.take(queueNameOf(batch, 'bench'), lanes, sql))
    fetching.push(1000 * (await seconds(work)))
    looking.push(1000 * (await seconds(() => claim(at, batch))))
  }
  const among = `among ${count(crowd)}, against ${goalFetchMs} ms`
  const figure = { unit: 'ms', floor: goalFetchMs, goal: atMost(1) }
  return [
    { id: 'A6 fetch', what: `${lanes} jobs taken ${among}`, ...figure, ...timesOf(fetching) },
    { id: 'A6 look', what: `one turn found and claimed ${among}`, ...figure, ...timesOf(looking) },
  ]
}

/** Copies of one that was submitted, made by the engine itself: a million submitted one by one take minutes. */
async function crowded({ fleet }: FleetHome, batch: string): Promise<void> {
  const { database } = fleet.engine
  const columns = async (schema: string, table: string, other: readonly string[]): Promise<string> => {
    const rows = await database.query<{ column_name: string }>(
      'select column_name from information_schema.columns where table_schema = $1 and table_name = $2',
      [schema, table],
    )
    const names = rows.map(row => row.column_name).filter(name => !other.includes(name))
    return names.join(', ')
  }
  const rows = await columns('fleet', 'execution', ['id', 'n', 'name'])
  await database.query(
    `insert into fleet.execution (id, n, name, ${rows}) select batch || '.' || g, g, 'set-' || g, ${rows}
     from fleet.execution, generate_series(2, $2::int) g where batch = $1 and n = 1`,
    [batch, crowd],
  )
  const jobs = await columns('pgboss', 'job', ['id', 'data', 'singleton_key'])
  await database.query(
    `insert into pgboss.job (id, data, singleton_key, ${jobs})
     select gen_random_uuid(), jsonb_build_object('execution', $1 || '.' || g), $1 || '.' || g, ${jobs}
     from pgboss.job, generate_series(2, $2::int) g where singleton_key = $1 || '.1'`,
    [batch, crowd],
  )
}

function rate(unit: string, rates: readonly number[], floor: number) {
  const spread = `(${rates.map(each => Math.round(each)).join(', ')})`
  return { unit, subject: median(rates), floor, spread }
}

function timesOf(times: readonly number[]) {
  return { subject: median(times), spread: `(at most ${Math.max(...times).toFixed(1)})` }
}

function count(value: number): string {
  return value.toLocaleString('en')
}
