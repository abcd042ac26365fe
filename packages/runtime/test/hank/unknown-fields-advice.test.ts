import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codon, type Json, loadValue, loop } from './fixture.ts'

/** Every word of the specification's list of typos. */
const typos = `
  systemPromptFile systemPromptText systemPrompt prompt prompts promptFiles
  trackedFiles tracking tracked watchedFiles fileTracking rig setup preSetup
  archiveRigs rigTeardown teardown archive cleanup archiveRig archiving archives
  environment envVars outputs output continuation mode
  costLimit maxBudget maxCost maxDollars
  maxDuration maxDurationSeconds maxTimeSeconds timeLimit
  maxTokens maxOutputTokens tokenLimit
`
  .trim()
  .split(/\s+/)

/** A good value for each field that advice may name. */
const values: Readonly<Record<string, unknown>> = {
  appendSystemPromptFile: 'a.md',
  appendSystemPromptText: 'Be brief.',
  globalSystemPromptFile: 'a.md',
  globalSystemPromptText: 'Be brief.',
  promptFile: 'a.md',
  promptText: 'Go.',
  checkpointedFiles: ['*.md'],
  rigSetup: [],
  archiveOnSuccess: ['*.tmp'],
  env: { A: 'b' },
  outputFiles: [{ copy: ['*.md'] }],
  continuationMode: 'fresh',
  'budget.maxDollars': 1,
  'budget.maxTimeSeconds': 1,
  'budget.maxOutputTokens': 1,
}

const positions = ['root', 'codon', 'loop', 'loop codon', 'overrides'] as const
type Position = (typeof positions)[number]
type Fields = Readonly<Partial<Record<Position, Json>>>

/** A hank that is good, but for these fields at these places. */
function hankWith(fields: Fields): Json {
  const inner = codon({ id: 'inner', name: 'Inner', onFailure: 'abort', ...fields['loop codon'] })
  return {
    ...fields.root,
    ...(fields.overrides && { overrides: fields.overrides }),
    hank: [codon(fields.codon), loop({ codons: [inner], ...fields.loop })],
  }
}

/** `budget.maxDollars` as an object of objects. */
function nested(name: string): Json {
  const value = values[name.replace(/^overrides\./, '')]
  return name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Json
}

/** Everything that a message advises to write, with the place where. */
function advised(message: string, position: Position): readonly (readonly [Position, string])[] {
  const meant = /Did you mean ([\w.]+(?: or [\w.]+)*)\?/.exec(message)?.[1]?.split(' or ') ?? []
  const global = /or write ([\w.]+(?: or [\w.]+)*) for all codons/.exec(message)?.[1]?.split(' or ') ?? []
  const place = message.includes('into a codon of this loop')
    ? 'loop codon'
    : message.includes('move it into a codon')
      ? 'codon'
      : position
  return [...meant.map(name => [place, name] as const), ...global.map(name => ['root', name] as const)]
}

describe('advice about an unknown field', () => {
  for (const position of positions)
    verifies(
      ['7.3/typo-max-output-tokens', '7.3/unknown-field-message'],
      `in this place works when it is followed literally: ${position}`,
      async () => {
        const load = (fields: Fields) => loadValue(hankWith(fields), { 'a.md': 'Go.' })
        for (const typo of typos) {
          const { problems } = await load({ [position]: { [typo]: 1 } })
          const messages = problems
            .map(({ message }) => message)
            .filter(text => text.startsWith('Unknown field'))
          expect(messages).toHaveLength(1)
          const [message = ''] = messages
          expect(message).toMatch(/ Valid [\w ]*fields[\w ]*: \S/)
          const all = advised(message, position)
          expect(all.length, message).toBeGreaterThan(0)
          for (const [place, name] of all) {
            const { problems: left } = await load({ [place]: nested(name) })
            expect(
              left.map(problem => problem.message).filter(text => text.startsWith('Unknown field')),
              `${message}\n→ ${name} in ${place}`,
            ).toEqual([])
          }
        }
      },
    )
})
