import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codon, directoryWith, loadIn, sentinel } from '../hank/fixture.ts'
import { event } from './observed-events.ts'
import { attachment, fakeModel, haiku, says, scene } from './scene.ts'

const ended = { reason: 'codon-complete' } as const

async function watchedFrom(files: Readonly<Record<string, unknown>>) {
  const hank = { hank: [codon({ sentinels: [{ sentinelConfig: 'watch/s.json' }] })] }
  const hankDir = await directoryWith({ 'hank.json': hank, ...files })
  const loaded = await loadIn(hankDir)
  expect(loaded.problems.filter(({ severity }) => severity === 'error')).toEqual([])
  const model = fakeModel(() => says('{"level":1}', { level: 1 }))
  const here = await scene(loaded.sentinels, { hankDir, model })
  const attached = await here.load()
  attached.route(event('assistant.action', { content: 'hello' }))
  await attached.finish(ended)
  return here
}

const { userPromptText: _, ...plain } = sentinel()

verifies(
  [
    '2.5/system-prompt-file-base',
    '2.5/user-prompt-file-base',
    '2.5/schema-file-base',
    '9/release-0.10.0-sentinel-references',
  ],
  'the files of a configuration are read from its own directory when the codon starts',
  async () => {
    const here = await watchedFrom({
      'watch/s.json': {
        ...plain,
        userPromptFile: 'user.md',
        systemPromptFile: '../prompts/system.md',
        structuredOutput: { output: 'object', schemaFile: 'level.json', schemaName: 'level' },
      },
      'watch/user.md': 'The agent said <%= it.events[0].data.content %>.',
      'user.md': 'wrong file',
      'prompts/system.md': 'You watch.',
      'watch/level.json': { type: 'object', properties: { level: { type: 'integer' } } },
    })
    expect(here.model.requests.at(-1)).toMatchObject({
      system: 'You watch.',
      messages: [{ role: 'user', content: 'The agent said hello.' }],
      output: { kind: 'object', name: 'level', schema: { properties: { level: { type: 'integer' } } } },
    })
  },
)

verifies(
  ['d14/sentinel-prompt-file-list'],
  'several files of a prompt are joined in order with a blank line, each without its front matter',
  async () => {
    const here = await watchedFrom({
      'watch/s.json': {
        ...plain,
        userPromptFile: ['user.md', '../prompts/more.md'],
        systemPromptFile: ['system.md', 'tone.md'],
      },
      'watch/user.md': '---\nname: Watch\n---\nThe agent said <%= it.events[0].data.content %>.\n',
      'prompts/more.md': '\nWhat does it mean?',
      'watch/system.md': 'You watch.',
      'watch/tone.md': 'Be brief.',
    })
    expect(here.model.requests.at(-1)).toMatchObject({
      system: 'You watch.\n\nBe brief.',
      messages: [{ role: 'user', content: 'The agent said hello.\n\nWhat does it mean?' }],
    })
  },
)

verifies(['d14/sentinel-schema-str'], 'a schema as text is the schema of the output', async () => {
  const schema = { type: 'object', properties: { level: { type: 'integer' } }, required: ['level'] }
  const structuredOutput = { output: 'object', schemaStr: JSON.stringify(schema) }
  const here = await watchedFrom({ 'watch/s.json': { ...sentinel(), structuredOutput } })
  expect(here.model.requests.at(-1)).toMatchObject({ output: { kind: 'object', schema } })
  expect(here.said('sentinel.output')).toMatchObject([{ outputType: 'structured', content: { level: 1 } }])
})

test('a prompt file loses its front matter and its comments, and knows the workspace', async () => {
  const prompt =
    '---\nname: Watch\n---\nLook at <%AGENT_ROOT%>.<!-- not this -->\n<%= it.events.length %> <%= "<!-- data -->" %>'
  const here = await watchedFrom({
    'watch/s.json': { ...plain, userPromptFile: 'user.md' },
    'watch/user.md': prompt.replace('"<!-- data -->"', '"<" + "!-- data -->"'),
  })
  const content = here.model.requests.at(-1)?.messages.at(-1)?.content
  expect(content).toBe(`Look at ${join(here.agentRoot)}.1 <!-- data -->`)
})

test('the parameters of the configuration reach the model', async () => {
  const here = await watchedFrom({
    'watch/s.json': { ...sentinel(), llmParams: { temperature: 0.7, maxOutputTokens: 99, maxRetries: 4 } },
  })
  expect(here.model.requests.at(-1)).toMatchObject({ temperature: 0.7, maxOutputTokens: 99, maxRetries: 4 })
})

test('a temperature that the model does not take is warned of when the sentinel is loaded', async () => {
  const llmParams = { temperature: 0.7 }
  const modelOf = () => ({ ...haiku, id: 'claude-haiku-5-5' })
  const here = await scene([attachment({ llmParams })], { modelOf })
  await (await here.load()).finish(ended)
  expect(here.warnings).toEqual([
    'Sentinel narrator: llmParams.temperature 0.7 is not sent: anthropic/claude-haiku-5-5 takes none. Remove it, or use another model.',
  ])
  const silent = await scene([attachment()], { modelOf })
  await (await silent.load()).finish(ended)
  expect(silent.warnings).toEqual([])
})
