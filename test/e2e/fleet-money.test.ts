import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { batchMoney, setBudget, settleDoubt, submit } from 'weave-fleet'
import { openTurnGateway } from '../../packages/cli/src/fleet/turn-gateway.ts'
import { createRequests } from '../../packages/fleet/src/turn/requests.ts'
import { openTurnMoney, type TurnMoney } from '../../packages/fleet/src/turn/turn-money.ts'
import { fleetOfFile } from '../../packages/fleet/test/test-fleet.ts'
import { verifies } from '../conformance/verifies.ts'
import { isProof, tally } from '../support/proof.ts'
import { tempDir } from '../support/temp-dir.ts'

const fleet = fleetOfFile()

/** The accountant: what it was asked to do is what it cost, whether anybody heard the answer or not. */
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, source: 'test' }
const model = { provider: 'anthropic', id: 'm', name: 'M', contextWindow: 200_000, prices }
const truth = new Map<string, number>()
const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(pieces).toString()) as {
      batch: string
      share: number
      max_tokens: number
      fate: string
    }
    if (body.fate === 'busy') {
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":{"message":"busy"}}')
      return
    }
    const input = Math.floor(body.share * Buffer.concat(pieces).length)
    const output = Math.floor(body.share * body.max_tokens)
    truth.set(body.batch, (truth.get(body.batch) ?? 0) + input * prices.input + output * prices.output)
    const usage = { input_tokens: input, output_tokens: output }
    const answer = (): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ id: 'x', model: 'm', usage }))
    if (body.fate === 'cut') response.socket?.destroy()
    else if (body.fate === 'slow') setTimeout(answer, 500)
    else answer()
  })
})
beforeAll(() => void server.listen(0, '127.0.0.1'))
afterAll(() => void server.close())

interface Call {
  readonly share: number
  readonly maxTokens: number
  readonly fate: 'fine' | 'fine ' | 'busy' | 'cut' | 'slow'
  /** The worker dies here; what it sent before and sends afterwards is a zombie's. */
  readonly dies: boolean
  /** It was the last of a codon. */
  readonly publishes?: boolean
}

async function batchOf(executions: number, budget?: number): Promise<string> {
  const hankFolder = await tempDir({ inMemory: true })
  const { batch } = await submit(
    {
      name: 'Money',
      hankFolder,
      data: [],
      priority: 0,
      weight: 1,
      pool: 'default',
      lease: 10,
      options: {},
      budget,
    },
    fleet(),
  )
  const { database, queue } = fleet().engine
  await database.transaction(async sql => {
    for (let n = 2; n <= executions; n++) {
      await sql.query(
        "insert into fleet.execution (id, batch, n, name) values ($1 || '.' || $2, $1, $2::int, 'x')",
        [batch, String(n)],
      )
      await queue.add(`f1.default.${batch}`, [{ execution: `${batch}.${n}`, priority: 0 }], sql)
    }
  })
  return batch
}

async function claim(batch: string) {
  const { database, queue } = fleet().engine
  return database.transaction(async sql => {
    const [job] = await queue.take(`f1.default.${batch}`, 1, sql)
    if (!job) return undefined
    const [row] = await sql.query<{ id: string; batch: string; epoch: string }>(
      'select * from fleet.claim($1, $2, $3, 1000)',
      [job.execution, 'w', job.id],
    )
    return row && { ...row, job: job.id }
  })
}

/** One turn, as a worker and the process of the turn have it between them, but in one process. */
async function openTurn(claimed: { readonly id: string; readonly batch: string; readonly epoch: string }) {
  const state = { isLost: false, isEmpty: false }
  const money = await openTurnMoney(fleet().engine, {
    ...claimed,
    holdMs: 0,
    onEmpty: () => {
      state.isEmpty = true
    },
    onLost: () => {
      state.isLost = true
    },
  })
  const requests = createRequests([money.purse])
  let next = 1
  const opened = await openTurnGateway(
    {
      request(facts, signal) {
        const id = next++
        const word = requests.asked(id, facts)
        let isHeard = false
        void word.then(() => {
          isHeard = true
        })
        // Whoever leaves later has sent it: what it costs is told with its end.
        signal.addEventListener('abort', () => {
          if (!isHeard) requests.forget(id)
        })
        return { id, word }
      },
      answered: requests.answered,
    },
    { fresh: async () => undefined },
  )
  if (!opened.ok) throw new Error(opened.message)
  opened.gateway.knows(() => model)
  const base = opened.gateway.through(
    'anthropic',
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )
  const ask = async ({ share, maxTokens, fate }: Call): Promise<number> => {
    const words = {
      model: 'm',
      max_tokens: maxTokens,
      messages: [],
      batch: claimed.batch,
      share,
      fate: fate.trim(),
    }
    const body = JSON.stringify(words)
    const response = await fetch(`${base}/v1/messages`, { method: 'POST', body }).catch(() => undefined)
    await response?.text().catch(() => '')
    return response?.status ?? 0
  }
  return { state, money, ask, close: opened.close }
}

async function finish(claimed: { id: string; batch: string; epoch: string; job: string }, money: TurnMoney) {
  const { database, queue } = fleet().engine
  const name = `f1.default.${claimed.batch}`
  await database.transaction(async sql => {
    await money.settle(sql)
    const state = money.lack === undefined ? 'succeeded' : 'waiting'
    await sql.query('select fleet.finish($1, $2, $3, $4)', [
      claimed.id,
      claimed.epoch,
      state,
      money.lack ?? null,
    ])
    await queue.done(name, claimed.job, sql)
    await queue.add(name, await money.wake(sql), sql)
  })
}

/** A codon has ended, and its head moves. */
async function publish(money: TurnMoney): Promise<void> {
  const used = money.purse.used()
  await fleet().engine.database.transaction(sql => money.account(sql, used))
  money.purse.accounted(used)
}

/** A slot that takes turns until nothing is left; those that die leave a zombie, which goes on asking. */
async function slot(batch: string, calls: readonly Call[]): Promise<void> {
  const zombies: Promise<void>[] = []
  let at = 0
  for (let turns = 0; turns < 12; turns++) {
    const claimed = await claim(batch)
    if (!claimed) break
    const turn = await openTurn(claimed)
    let isDead = false
    for (let asked = 0; asked < 3 && !turn.state.isEmpty && !isDead; asked++) {
      const call = calls[at++ % calls.length] as Call
      isDead = call.dies && turns < 4
      // Two at a time: an agent and its sentinel.
      if (!isDead) {
        await Promise.all([turn.ask(call), turn.ask({ ...call, maxTokens: 50 })])
        if (call.publishes) await publish(turn.money)
      } else
        zombies.push(
          (async () => {
            for (let more = 0; more < 3; more++) await turn.ask(call)
            // One that does not know yet that it is one.
            await publish(turn.money)
            await turn.close()
          })(),
        )
    }
    if (isDead) await fleet().engine.queue.failed(`f1.default.${batch}`, claimed.job, fleet().engine.database)
    else {
      await finish(claimed, turn.money)
      await turn.close()
    }
  }
  await Promise.all(zombies)
}

const call = fc.record({
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  maxTokens: fc.integer({ min: 1, max: 4_000 }),
  fate: fc.constantFrom('fine', 'fine ', 'busy', 'cut'),
  dies: fc.boolean(),
  publishes: fc.boolean(),
}) as fc.Arbitrary<Call>

describe('the money of a batch', () => {
  verifies(
    ['money/ceiling', 'money/doubt'],
    'is never overspent, whoever dies when, and the books never say less than the truth',
    async () => {
      const runs = isProof ? 200 : 10
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 15_000, max: 900_000 }),
          fc.integer({ min: 1, max: 4 }),
          fc.array(call, { minLength: 3, maxLength: 12 }),
          async (budget, slots, calls) => {
            const batch = await batchOf(slots + 1, budget)
            await Promise.all(
              Array.from({ length: slots }, (_, at) =>
                slot(batch, [...calls.slice(at), ...calls.slice(0, at)]),
              ),
            )
            const spentTruly = truth.get(batch) ?? 0
            const { granted, spent, doubt } = await batchMoney(fleet().engine, batch)
            expect(spentTruly).toBeLessThanOrEqual(budget)
            expect(spent + doubt + granted).toBeLessThanOrEqual(budget)
            expect(spent + doubt + granted).toBeGreaterThanOrEqual(spentTruly)
          },
        ),
        { numRuns: runs },
      )
      tally('batches with a ceiling', runs)
    },
    isProof ? 600_000 : 60_000,
  )

  verifies(
    ['money/waits', 'money/ceiling'],
    'that is used up lets the turn wait, and more money queues it again; less than was spent is refused',
    async () => {
      const batch = await batchOf(1, 60_000)
      const costly: Call = { share: 1, maxTokens: 2_000, fate: 'fine', dies: false }
      const first = await claim(batch)
      if (!first) throw new Error('nothing to claim')
      const turn = await openTurn(first)
      // Each fits alone; while one is under way there is nothing left for the other.
      const slow: Call = { ...costly, fate: 'slow' }
      const answers = await Promise.all([turn.ask(slow), turn.ask(slow)])
      expect(answers.toSorted((left, right) => left - right)).toEqual([200, 429])
      expect(turn.state).toEqual({ isLost: false, isEmpty: true })
      await finish(first, turn.money)
      await turn.close()
      const { engine } = fleet()
      const [row] = await engine.database.query(
        'select state, reason from fleet.execution where batch = $1',
        [batch],
      )
      expect(row).toMatchObject({ state: 'waiting', reason: expect.stringMatching(/^budget: /) })
      expect(await claim(batch)).toBeUndefined()
      await expect(setBudget(engine, { batch, micros: 20_000 })).rejects.toThrow('More than that is spent')
      expect(await setBudget(engine, { batch, micros: 65_000 })).toBe(0)
      expect(await setBudget(engine, { batch, micros: 90_000 })).toBe(1)
      expect(await claim(batch)).toMatchObject({ epoch: '2' })
    },
  )

  verifies(
    ['money/doubt', 'money/lost'],
    'that a dead turn had is in doubt until its bill is known, and none is lent to an old epoch',
    async () => {
      const batch = await batchOf(1, 1_000_000)
      const { engine } = fleet()
      const first = await claim(batch)
      if (!first) throw new Error('nothing to claim')
      const turn = await openTurn(first)
      const small: Call = { share: 1, maxTokens: 100, fate: 'fine', dies: false }
      expect(await turn.ask(small)).toBe(200)
      await engine.queue.failed(`f1.default.${batch}`, first.job, fleet().engine.database)
      expect(await claim(batch)).toMatchObject({ epoch: '2' })
      const after = await batchMoney(engine, batch)
      expect(after).toMatchObject({ spent: 0, granted: 0, doubt: 250_000, deaths: 1 })
      expect(await turn.ask({ ...small, maxTokens: 100_000 })).toBe(429)
      expect(turn.state.isLost).toBe(true)
      await turn.close()
      await expect(settleDoubt(engine, { execution: first.id, micros: 250_001 })).rejects.toThrow(
        'Not so much',
      )
      await settleDoubt(engine, { execution: first.id, micros: 2_000 })
      expect(await batchMoney(engine, batch)).toMatchObject({ spent: 2_000, doubt: 0 })
    },
  )

  verifies(
    ['money/accounted', 'money/doubt'],
    'is spent with the head that it led to, so that a death puts in doubt what came after alone',
    async () => {
      const batch = await batchOf(1, 1_000_000)
      const { engine } = fleet()
      const first = await claim(batch)
      if (!first) throw new Error('nothing to claim')
      const turn = await openTurn(first)
      const small: Call = { share: 1, maxTokens: 100, fate: 'fine', dies: false }
      expect(await turn.ask(small)).toBe(200)
      const used = truth.get(batch) ?? 0
      await publish(turn.money)
      expect(await batchMoney(engine, batch)).toMatchObject({ spent: used, granted: 250_000 - used })
      expect(await turn.ask(small)).toBe(200)
      await engine.queue.failed(`f1.default.${batch}`, first.job, fleet().engine.database)
      expect(await claim(batch)).toMatchObject({ epoch: '2', lost: String(250_000 - used) })
      const after = { spent: used, granted: 0, doubt: 250_000 - used }
      expect(await batchMoney(engine, batch)).toMatchObject(after)
      // The books of a turn that is over are closed.
      await publish(turn.money)
      expect(await batchMoney(engine, batch)).toMatchObject(after)
      await turn.close()
    },
  )

  verifies(
    ['money/admission', 'money/waits'],
    'is there before a codon begins, or nothing begins until another gives some back',
    async () => {
      const batch = await batchOf(2, 250_000)
      const [first, second] = [await claim(batch), await claim(batch)]
      if (!first || !second) throw new Error('nothing to claim')
      const wish = { onEmpty: () => undefined, onLost: () => undefined }
      const money = await openTurnMoney(fleet().engine, { ...first, ...wish })
      const other = await openTurnMoney(fleet().engine, { ...second, ...wish })
      const later = await openTurnMoney(fleet().engine, { ...second, ...wish, parkMs: 30_000 })
      expect(await money.ready(() => false)).toBe(true)
      expect(await batchMoney(fleet().engine, batch)).toMatchObject({ granted: 250_000 })
      expect(await other.ready(() => false)).toBe(false)
      expect(other.lack).toMatch(/^budget: /)
      const waiting = later.ready(() => false)
      await finish(first, money)
      expect(await waiting).toBe(true)
    },
  )

  verifies(['money/price'], 'is not spent on what nobody knows the price of', async () => {
    const batch = await batchOf(1, 1_000_000)
    const claimed = await claim(batch)
    if (!claimed) throw new Error('nothing to claim')
    const money = await openTurnMoney(fleet().engine, {
      ...claimed,
      onEmpty: () => undefined,
      onLost: () => undefined,
    })
    const { signal } = new AbortController()
    const words = await Promise.all(
      [
        { provider: 'openai', kind: 'answer', model: 'new' } as const,
        { provider: 'openai', kind: 'other' } as const,
        { provider: 'openai', kind: 'free' } as const,
      ].map(facts => money.purse.before(facts, signal)),
    )
    expect(words.map(({ kind }) => kind)).toEqual(['refuse', 'refuse', 'forward'])
  })
})
