import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { fixtureProgram } from '../../../../test/support/fixture-program.ts'
import { createReaders } from '../../src/dashboard/index.ts'
import type { Job } from '../../src/dashboard/job.ts'

const hasChrt = process.platform === 'linux' && spawnSync('chrt', ['--version']).status === 0
const idlePolicy = 5

/** Threads of this process with the lowest priority, and how the system shares the processor with each. */
function lowThreads(): ReadonlyMap<string, number> {
  const threads = readdirSync('/proc/self/task').map(thread => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return [thread, stat.split(') ').at(-1)?.split(' ') ?? []] as const
  })
  const low = threads.filter(([, fields]) => fields[16] === '19')
  return new Map(low.map(([thread, fields]) => [thread, Number(fields[38])]))
}

/** The policies of those that have come since. */
function lowThreadsSince(before: ReadonlyMap<string, number>): readonly number[] {
  return [...lowThreads()].flatMap(([thread, policy]) => (before.has(thread) ? [] : [policy]))
}

async function readersOf(options?: { readonly isPolite: boolean }) {
  const file = await fixtureProgram(new URL('./fixtures/reader-entry.ts', import.meta.url))
  const readers = createReaders({ file }, options)
  onTestFinished(() => readers.close())
  const place = { name: 'none', dir: '/nowhere/none' }
  return async (kind: 'events' | 'find') => {
    const job: Job = { kind, place, query: {} }
    const { signal } = new AbortController()
    return readers.ask(job, { signal, onHead: () => undefined, onBytes: () => undefined })
  }
}

test.runIf(hasChrt)('beside a run, what reads for long works only while a core is free', async () => {
  const before = lowThreads()
  const ask = await readersOf({ isPolite: true })
  expect(await ask('events')).toEqual({ ok: true })
  expect(lowThreadsSince(before)).toEqual([0])
  expect(await ask('find')).toEqual({ ok: true })
  // A program of the system says it a moment later.
  await expect.poll(() => lowThreadsSince(before)).toEqual([0, idlePolicy])
})

test.runIf(hasChrt)('a hub, which has nothing else to do, reads with the usual priority', async () => {
  const before = lowThreads()
  const ask = await readersOf()
  expect(await ask('events')).toEqual({ ok: true })
  expect(await ask('find')).toEqual({ ok: true })
  expect(lowThreadsSince(before)).toEqual([])
})
