import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { PlannedGate } from '../../src/plan/index.ts'
import { type GateStory, looping, playGates, three } from './gate-story.ts'

const beforeA: PlannedGate = { id: 'g', before: 'a' }
const beforeB: PlannedGate = { id: 'g', before: 'b' }
const afterB: PlannedGate = { id: 'g', after: 'b' }
const afterC: PlannedGate = { id: 'g', after: 'c' }
const redo: PlannedGate = { id: 'g', before: 'c', redo: { from: 'b', times: 1 } }
const timed: PlannedGate = { id: 'g', before: 'b', timeoutSeconds: 60 }

type Case = readonly [name: string, story: GateStory, lines: string]

/** Every line of a run at gates, in order; `;` between them. */
const places: readonly Case[] = [
  ['the first codon waits', { gates: [beforeA], deeds: [] }, 'ask g > a; run stopped'],
  [
    'the first codon, approved',
    { gates: [beforeA], deeds: ['approve'] },
    'ask g > a; g approved; start a; start b; start c; run completed',
  ],
  [
    'before the second',
    { gates: [beforeB], deeds: ['approve'] },
    'start a; ask g > b; g approved; start b; start c; run completed',
  ],
  [
    'after the second',
    { gates: [afterB], deeds: ['approve'] },
    'start a; start b; ask g > c; g approved; start c; run completed',
  ],
  [
    'after the last waits before the end',
    { gates: [afterC], deeds: [] },
    'start a; start b; start c; ask g > end; run stopped',
  ],
  [
    'after the last, approved',
    { gates: [afterC], deeds: ['approve'] },
    'start a; start b; start c; ask g > end; g approved; run completed',
  ],
  [
    'two at one place ask one after the other',
    { gates: [{ id: 'f', after: 'a' }, beforeB], deeds: ['approve', 'approve'] },
    'start a; ask f > b; f approved; ask g > b; g approved; start b; start c; run completed',
  ],
  [
    'a codon of a loop, every iteration',
    { plan: looping, gates: [{ id: 'g', before: 'y' }], deeds: ['approve', 'approve'] },
    'start a; start x#0; ask g > y#0; g approved; start y#0; start x#1; ask g > y#1; g approved; start y#1; start z; run completed',
  ],
  [
    'one iteration',
    { plan: looping, gates: [{ id: 'g', before: 'x#1' }], deeds: ['approve'] },
    'start a; start x#0; start y#0; ask g > x#1; g approved; start x#1; start y#1; start z; run completed',
  ],
  [
    'before a loop, once',
    { plan: looping, gates: [{ id: 'g', before: 'l' }], deeds: ['approve'] },
    'start a; ask g > x#0; g approved; start x#0; start y#0; start x#1; start y#1; start z; run completed',
  ],
  [
    'after a loop, once',
    { plan: looping, gates: [{ id: 'g', after: 'l' }], deeds: ['approve'] },
    'start a; start x#0; start y#0; start x#1; start y#1; ask g > z; g approved; start z; run completed',
  ],
  [
    'after a codon of a loop',
    { plan: looping, gates: [{ id: 'g', after: 'y' }], deeds: ['approve', 'approve'] },
    'start a; start x#0; start y#0; ask g > x#1; g approved; start x#1; start y#1; ask g > z; g approved; start z; run completed',
  ],
]

const rejections: readonly Case[] = [
  [
    'the first codon, rejected',
    { gates: [beforeA], deeds: ['reject'] },
    'ask g > a; g rejected; run stopped',
  ],
  [
    'after the last, rejected',
    { gates: [afterC], deeds: ['reject'] },
    'start a; start b; start c; ask g > end; g rejected; run stopped',
  ],
  [
    'redoFrom runs everything from there again',
    { gates: [redo], deeds: ['reject', 'approve'] },
    'start a; start b; ask g > c; g rejected; run stopped; back to a; start b; ask g > c r2; g approved; start c; run completed',
  ],
  [
    'redoFrom, so many times and no more',
    { gates: [redo], deeds: ['reject', 'reject'] },
    'start a; start b; ask g > c; g rejected; run stopped; back to a; start b; ask g > c r2; g rejected; run stopped',
  ],
  [
    'a resume after a rejection asks again',
    { gates: [beforeB], deeds: ['reject', 'restart', 'approve'] },
    'start a; ask g > b; g rejected; run stopped; ask g > b r2; g approved; start b; start c; run completed',
  ],
  [
    'after a rejection codon.next asks again',
    { gates: [beforeB], deeds: ['reject', 'next', 'next'] },
    'start a; ask g > b; g rejected; run stopped; ask g > b r2; g approved; start b; start c; run completed',
  ],
  [
    'after a rejection at the end codon.next asks again',
    { gates: [afterC], deeds: ['reject', 'next', 'next'] },
    'start a; start b; start c; ask g > end; g rejected; run stopped; ask g > end r2; g approved; run completed',
  ],
]

const withCoreCommands: readonly Case[] = [
  [
    'codon.next approves',
    { gates: [beforeB], deeds: ['next'] },
    'start a; ask g > b; g approved; start b; start c; run completed',
  ],
  [
    'codon.next approves at the end',
    { gates: [afterC], deeds: ['next'] },
    'start a; start b; start c; ask g > end; g approved; run completed',
  ],
  [
    'codon.next at the first',
    { gates: [beforeA], deeds: ['next'] },
    'ask g > a; g approved; start a; start b; start c; run completed',
  ],
  [
    'codon.start of another bypasses',
    { gates: [beforeB], deeds: ['start c'] },
    'start a; ask g > b; g bypassed; start c; run completed',
  ],
  [
    'codon.start of the same bypasses',
    { gates: [beforeB], deeds: ['start b'] },
    'start a; ask g > b; g bypassed; start b; start c; run completed',
  ],
  [
    'codon.redo withdraws, and it asks again',
    { gates: [beforeB], deeds: ['redo', 'approve'] },
    'start a; ask g > b; g withdrawn; run stopped; start a; ask g > b r2; g approved; start b; start c; run completed',
  ],
  [
    'a rollback withdraws, and it asks again',
    { gates: [beforeB], deeds: ['rollback a end', 'approve'] },
    'start a; ask g > b; g withdrawn; run stopped; back to a; ask g > b r2; g approved; start b; start c; run completed',
  ],
]

const identities: readonly Case[] = [
  [
    'after a rollback past an approval it asks again',
    { gates: [beforeB, afterC], deeds: ['approve', 'rollback a end', 'approve'] },
    'start a; ask g > b; g approved; start b; start c; ask g > end; g withdrawn; run stopped; back to a; ask g > b r2; g approved; start b; start c; ask g > end; run stopped',
  ],
  [
    'a rollback to where the first began asks again',
    { gates: [beforeA, { id: 'e', after: 'c' }], deeds: ['approve', 'rollback a start', 'approve'] },
    'ask g > a; g approved; start a; start b; start c; ask e > end; e withdrawn; run stopped; back to a; ask g > a; g approved; start a; start b; start c; ask e > end r2; run stopped',
  ],
  [
    'another question than the one that was seen',
    { gates: [beforeA], deeds: ['approve 1'] },
    'ask g > a; refused GATE_STALE; run stopped',
  ],
]

const expiries: readonly Case[] = [
  [
    'expired is rejected',
    { gates: [timed], deeds: ['wait 59', 'wait 2'] },
    'start a; ask g > b; g expired; run stopped',
  ],
  [
    'approved in time',
    { gates: [timed], deeds: ['wait 59', 'approve', 'wait 9'] },
    'start a; ask g > b; g approved; start b; start c; run completed',
  ],
  [
    'expired while no server was there',
    { gates: [timed], deeds: ['wait 30', 'restart 31', 'wait 0'] },
    'start a; ask g > b; run stopped; g expired; run stopped',
  ],
  [
    'a restart does not give more time',
    { gates: [timed], deeds: ['wait 30', 'restart 20', 'wait 9', 'wait 2'] },
    'start a; ask g > b; run stopped; g expired; run stopped',
  ],
]

const restarts: readonly Case[] = [
  [
    'what was approved stays so over a resume at the next question of the same place',
    { gates: [{ id: 'f', after: 'a' }, beforeB], deeds: ['approve', 'restart', 'next'] },
    'start a; ask f > b; f approved; ask g > b; run stopped; g approved; start b; start c; run completed',
  ],
  [
    'a resume waits at the same question',
    { gates: [beforeB], deeds: ['restart', 'next'] },
    'start a; ask g > b; run stopped; g approved; start b; start c; run completed',
  ],
  [
    'a resume of a resume',
    { gates: [beforeB], deeds: ['restart', 'restart', 'next'] },
    'start a; ask g > b; run stopped; run stopped; g approved; start b; start c; run completed',
  ],
  [
    'a resume after the approval at the end',
    { gates: [beforeB, { id: 'e', after: 'c' }], deeds: ['approve', 'restart', 'next'] },
    'start a; ask g > b; g approved; start b; start c; ask e > end; run stopped; e approved; run completed',
  ],
]

const laterStarts: readonly Case[] = [
  [
    'a gate that a later start adds',
    {
      gates: [beforeB],
      later: { gates: [beforeB, { id: 'n', before: 'c' }] },
      deeds: ['restart', 'next', 'next'],
    },
    'start a; ask g > b; run stopped; g approved; start b; ask n > c; n approved; start c; run completed',
  ],
]

const leftOut: readonly Case[] = [
  [
    'a gate that a later start leaves out',
    { gates: [beforeB], later: { gating: { dropped: new Set(['g']) } }, deeds: ['restart'] },
    'start a; ask g > b; run stopped; g bypassed; start b; start c; run completed',
  ],
]

const holds: readonly Case[] = [
  [
    'a hold before the next codon',
    { gates: [beforeA], deeds: ['hold c', 'approve', 'approve'] },
    'ask g > a; armed hold-1; g approved; start a; start b; ask hold-1 > c; hold-1 approved; start c; run completed',
  ],
  [
    'a hold that is released',
    { gates: [beforeA], deeds: ['hold c', 'release hold-1', 'approve'] },
    'ask g > a; armed hold-1; hold-1 withdrawn; g approved; start a; start b; start c; run completed',
  ],
  [
    'a hold that is released while it waits',
    { gates: [beforeA], deeds: ['hold b', 'approve', 'release hold-1'] },
    'ask g > a; armed hold-1; g approved; start a; ask hold-1 > b; hold-1 withdrawn; start b; start c; run completed',
  ],
  [
    'a hold outlives a restart',
    { gates: [beforeA], deeds: ['hold c', 'restart', 'next', 'next'] },
    'ask g > a; armed hold-1; run stopped; g approved; start a; start b; ask hold-1 > c; hold-1 approved; start c; run completed',
  ],
  [
    'a hold before what the plan does not have',
    { gates: [beforeA], deeds: ['hold q'] },
    'ask g > a; refused UNKNOWN_CODON; run stopped',
  ],
  [
    'a release of nothing',
    { gates: [beforeA], deeds: ['release q'] },
    'ask g > a; refused UNKNOWN_GATE; run stopped',
  ],
]

const all = [
  ...places,
  ...rejections,
  ...withCoreCommands,
  ...identities,
  ...expiries,
  ...restarts,
  ...laterStarts,
  ...leftOut,
  ...holds,
]

test('there are at least 40 cases of where gates ask and what an answer does', () => {
  expect(all.length).toBeGreaterThanOrEqual(40)
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length)
})

async function plays([, story, lines]: Case): Promise<void> {
  const seen = await playGates(story, await tempDir({ inMemory: true }))
  expect(seen.join('; ')).toBe(lines)
}

describe('gates', () => {
  for (const each of places) verifies(['gates/places'], each[0], () => plays(each))
  for (const each of rejections) verifies(['gates/reject'], each[0], () => plays(each))
  for (const each of withCoreCommands) verifies(['gates/core-commands'], each[0], () => plays(each))
  for (const each of identities) verifies(['gates/identity'], each[0], () => plays(each))
  for (const each of expiries) verifies(['gates/expiry'], each[0], () => plays(each))
  for (const each of restarts) verifies(['gates/durable'], each[0], () => plays(each))
  for (const each of laterStarts) verifies(['gates/frozen'], each[0], () => plays(each))
  for (const each of leftOut) verifies(['gates/flags'], each[0], () => plays(each))
  for (const each of holds) verifies(['gates/holds'], each[0], () => plays(each))
})

verifies(['gates/time'], 'time at a gate counts for no budget, nor in a later start', async () => {
  const budget = { budget: { maxTimeSeconds: 60 } }
  for (const deeds of [
    ['wait 3600', 'approve'],
    ['wait 3600', 'restart 3600', 'wait 3600', 'next'],
  ]) {
    const run = await playGates(
      { plan: { ...three, ...budget }, gates: [beforeB], deeds },
      await tempDir({ inMemory: true }),
    )
    expect(run.slice(-3)).toEqual(['start b', 'start c', 'run completed'])
  }
})
