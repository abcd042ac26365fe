import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { HarnessSpec } from '../../src/harness/index.ts'
import type { Plan } from '../../src/plan/index.ts'
import { createScene } from '../at-rest/scene.ts'
import { codonPlan, loopPlan, planOf } from '../runner/plans.ts'

const withLoop = planOf(codonPlan('a'), loopPlan('again', 2, [codonPlan('b')]), codonPlan('c'))
const runtimeIds = ['a', 'b#0', 'b#1', 'c']

/** The system prompts that the agents of a plan were given, by runtime id. */
async function systemPrompts(more: Partial<Plan>, files: Readonly<Record<string, string>> = {}) {
  const given = new Map<string, string | undefined>()
  const scene = await createScene(
    hankDir => ({ ...withLoop, ...more, hankDir }),
    (codonId, { systemPrompt }) => {
      given.set(codonId, systemPrompt)
      return [{ say: 'done' }]
    },
  )
  for (const [name, text] of Object.entries(files)) writeFileSync(join(scene.hankDir, name), text)
  await scene.run()
  return Object.fromEntries(given)
}

describe('the global system prompt', () => {
  verifies(['2.1/global-prompt-file-all-codons'], 'from a file reaches every codon', async () => {
    const given = await systemPrompts(
      { globalSystemPrompt: { files: ['rules.md'] } },
      { 'rules.md': 'Be brief.' },
    )
    expect(given).toEqual(Object.fromEntries(runtimeIds.map(id => [id, 'Be brief.'])))
  })

  verifies(['2.1/global-prompt-text-all-codons'], 'from a text reaches every codon', async () => {
    const given = await systemPrompts({ globalSystemPrompt: { text: 'Be kind.' } })
    expect(given).toEqual(Object.fromEntries(runtimeIds.map(id => [id, 'Be kind.'])))
  })
})

describe('the prompt of a codon', () => {
  verifies(
    ['2.3/prompt-text', '2.10/replaced-at-prompt-load', 'd3/resume-prompt-files-anew'],
    'is its text, or its file as that is when the codon starts, with the variables filled in then',
    async () => {
      const asked: string[] = []
      let fails = true
      const scene = await createScene(
        hankDir => ({
          ...planOf(
            codonPlan('text', { prompt: { text: 'Do it.' } }),
            codonPlan('file', { prompt: { files: ['task.md'] } }),
          ),
          hankDir,
        }),
        (codonId, { prompt }: HarnessSpec) => {
          asked.push(prompt)
          if (codonId === 'text') writeFileSync(join(scene.hankDir, 'task.md'), 'First <%AGENT_ROOT%>.')
          return codonId === 'file' && fails ? [{ fail: 'bad luck', retriable: true }] : [{ say: 'done' }]
        },
      )
      writeFileSync(join(scene.hankDir, 'task.md'), 'As it was at the start.')
      await scene.run()
      const { agentRoot } = scene.layout
      expect(asked).toEqual(['Do it.', `First ${agentRoot}.`])
      writeFileSync(join(scene.hankDir, 'task.md'), 'Second <%AGENT_ROOT%>.')
      fails = false
      await scene.run()
      expect(asked.slice(2)).toEqual([`Second ${agentRoot}.`])
    },
  )
})
