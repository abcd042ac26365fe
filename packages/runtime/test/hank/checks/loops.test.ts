import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import {
  codonOf,
  contextLoopOf,
  hankOf,
  loopOf,
  nextCodonOf,
} from '../../../../../test/support/hank-builder.ts'
import { checkLoops } from '../../../src/hank/checks/loops.ts'
import { type Codon, hankFile, type RigOperation } from '../../../src/hank/schema.ts'
import { places, told } from './problems.ts'

describe('contextExceeded loops', () => {
  verifies(
    ['2.7/context-exceeded-no-fresh', '7.3/load-fresh-in-context-exceeded-loop'],
    'a fresh codon in such a loop is an error, wherever it stands',
    async () => {
      const hank = hankOf([codonOf('a'), contextLoopOf('l', [nextCodonOf('b'), codonOf('c')])])
      expect(await told(checkLoops, hank)).toEqual([
        'error: hank[1].codons[1].continuationMode: Codon 2.2 (c): a loop with terminateOn "contextExceeded" cannot hold a "fresh" codon, because a new conversation never fills the context. Set continuationMode to "continue-previous", or use an iterationLimit.',
      ])
      const allowed = hankOf([
        codonOf('a'),
        contextLoopOf('l', [nextCodonOf('b')]),
        loopOf('m', [codonOf('c')]),
      ])
      expect(await told(checkLoops, allowed)).toEqual([])
    },
  )

  verifies(
    ['2.7/fresh-after-context-exceeded', '7.3/load-continue-from-context-exceeded-loop'],
    'a codon right after such a loop that is not fresh is an error, also as the first one of the next loop',
    async () => {
      const loop = contextLoopOf('fill', [nextCodonOf('b')])
      expect(await told(checkLoops, hankOf([codonOf('a'), loop, nextCodonOf('c')]))).toEqual([
        'error: hank[2].continuationMode: Codon 3 (c): follows the loop "fill", which ends when the context is full, so there is no room to continue. Set continuationMode to "fresh".',
      ])
      const limited = loopOf('m', [nextCodonOf('c')])
      expect(await places(checkLoops, hankOf([codonOf('a'), loop, limited]))).toEqual([
        'error hank[2].codons[0].continuationMode',
      ])
      const another = contextLoopOf('m', [nextCodonOf('c')])
      expect(await told(checkLoops, hankOf([codonOf('a'), loop, another]))).toEqual([
        expect.stringMatching(/Put a "fresh" codon between the two loops\.$/),
      ])
      const later = [codonOf('c'), nextCodonOf('d')]
      expect(await told(checkLoops, hankOf([codonOf('a'), loop, ...later]))).toEqual([])
      expect(await told(checkLoops, hankOf([loopOf('l', [codonOf('a')]), nextCodonOf('b')]))).toEqual([])
    },
  )

  verifies(
    ['d8/unbounded-loop-warning'],
    'such a loop without any budget gives a warning that nothing bounds its cost',
    async () => {
      const warning =
        'warning: hank[1]: Loop 2 (l): repeats until the context is full and has no budget, so nothing bounds its cost. Give the loop or the hank a budget with maxDollars or maxTimeSeconds.'
      const capped = nextCodonOf('b', { budget: { maxDollars: 1 } })
      for (const codon of [nextCodonOf('b'), capped]) {
        const items = [codonOf('a'), contextLoopOf('l', [codon], { budget: { onExceeded: 'fail' } })]
        expect(await told(checkLoops, hankOf(items))).toEqual([warning])
        for (const budget of [{ maxDollars: 1 }, { maxTimeSeconds: 1 }]) {
          expect(await told(checkLoops, hankOf(items), { ceilings: budget })).toEqual([])
          expect(await told(checkLoops, hankOf(items, { overrides: { budget } }))).toEqual([])
          const loop = contextLoopOf('l', [codon], { budget })
          expect(await told(checkLoops, hankOf([codonOf('a'), loop]))).toEqual([])
        }
      }
      expect(await told(checkLoops, hankOf([loopOf('l', [codonOf('a')])]))).toEqual([])
    },
  )
})

verifies(
  ['2.7/no-nested-loops', '7.3/load-nested-loops'],
  'a loop in a loop has no place in the shape, and is explained to whoever asks',
  async () => {
    const inner = loopOf('inner', [codonOf('a')])
    const nested = hankOf([loopOf('outer', [inner as unknown as Codon])])
    expect(hankFile.safeParse(nested).success).toBe(false)
    expect(await told(checkLoops, nested)).toEqual([
      'error: hank[0].codons[0]: Codon 1.1 (inner): a loop cannot stand inside a loop. Move it to the top level of the hank, or its codons into the outer loop.',
    ])
  },
)

describe('codons of loops', () => {
  const command = (allowFailure?: boolean): RigOperation => ({
    type: 'command',
    command: { run: 'make' },
    allowFailure,
  })

  verifies(
    ['7.3/warn-loop-rig-setup'],
    'a loop codon with a rig operation that may not fail gives a warning',
    async () => {
      const inLoop = (...rigSetup: RigOperation[]) => hankOf([loopOf('l', [codonOf('a', { rigSetup })])])
      expect(await told(checkLoops, inLoop(command(true), command()))).toEqual([
        'warning: hank[0].codons[0].rigSetup[1]: Codon 1.1 (a): its rigSetup runs again in every iteration and fails the codon when an operation fails. Set allowFailure to true where a repetition may fail.',
      ])
      expect(await places(checkLoops, inLoop(command(false), command()))).toEqual([
        'warning hank[0].codons[0].rigSetup[0]',
      ])
      expect(await told(checkLoops, inLoop(command(true)))).toEqual([])
      expect(await told(checkLoops, inLoop())).toEqual([])
      expect(await told(checkLoops, hankOf([codonOf('a', { rigSetup: [command()] })]))).toEqual([])
    },
  )

  verifies(
    ['7.3/warn-loop-default-abort'],
    'a loop codon without onFailure gives a warning, and one that says abort does not',
    async () => {
      const silent = codonOf('a', { onFailure: undefined })
      expect(await told(checkLoops, hankOf([loopOf('l', [silent])]))).toEqual([
        'warning: hank[0].codons[0]: Codon 1.1 (a): has no onFailure, so one failure in any iteration stops the whole hank ("abort" is the default). Write onFailure to say what is meant.',
      ])
      expect(await told(checkLoops, hankOf([loopOf('l', [codonOf('a', { onFailure: 'abort' })])]))).toEqual(
        [],
      )
      expect(await told(checkLoops, hankOf([silent]))).toEqual([])
    },
  )

  it('are each looked at, in order', async () => {
    const silent = (id: string) => codonOf(id, { onFailure: undefined })
    const hank = hankOf([loopOf('l', [silent('a'), silent('b')]), loopOf('m', [silent('c')])])
    expect(await places(checkLoops, hank)).toEqual([
      'warning hank[0].codons[0]',
      'warning hank[0].codons[1]',
      'warning hank[1].codons[0]',
    ])
  })
})
