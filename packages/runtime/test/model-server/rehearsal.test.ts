import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import {
  type Answer,
  createRehearsal,
  type ModelRequest,
  type Rehearsal,
  type RehearsalScript,
} from '../../src/model-server/index.ts'
import { request } from './served.ts'

verifies(
  ['d13/script-codon-steps', 'd13/one-step-per-request', 'd13/step-say'],
  'takes one step of the codon for each request',
  () => {
    const { ask } = play({ codons: { draft: [{ say: 'one' }, { say: 'two' }], other: [{ say: 'no' }] } })
    expect([ask('draft'), ask('draft')]).toEqual([said('one'), said('two')])
  },
)

verifies(
  ['d13/script-iteration-steps', 'd13/script-any-codon'],
  'looks for the runtime id, then for the codon, then for the steps of all',
  () => {
    const { ask } = play({
      codons: {
        'review#1': [{ say: 'the second time' }],
        review: [{ say: 'any time' }],
        '*': [{ say: 'anyone' }],
      },
    })
    expect(['review#0', 'review#1', 'review#2', 'review', 'draft', 'review#x'].map(id => ask(id))).toEqual(
      ['any time', 'the second time', 'any time', 'any time', 'anyone', 'anyone'].map(said),
    )
  },
)

test('gives every runtime id a place of its own in a list that it shares', () => {
  const { ask } = play({ codons: { review: [{ say: 'one' }, { say: 'two' }] } })
  expect(['review#0', 'review#0', 'review#1', 'review#1'].map(id => ask(id))).toEqual(
    ['one', 'two', 'one', 'two'].map(said),
  )
})

test('does not take an inherited name for a list', () => {
  const { ask } = play({ codons: { '*': [{ say: 'ok' }] }, sentinels: {} })
  expect(ask('constructor')).toEqual(said('ok'))
  expect(ask('__proto__')).toEqual(said('ok'))
})

test('goes on in the same list in a new conversation', () => {
  const { rehearsal } = play({
    codons: { draft: [{ fail: { status: 529 } }, { say: 'again' }, { say: 'more' }] },
  })
  const asked = (text: string) =>
    rehearsal.respond(
      request({ turns: [{ role: 'user', text, texts: [text], calls: [], results: [] }], index: 0 }),
    )
  expect(asked('first try')).toMatchObject({ kind: 'error', status: 529 })
  expect(asked('second try')).toEqual(said('again'))
  expect(asked('an extension')).toEqual(said('more'))
})

verifies(['d13/steps-run-out'], 'repeats the last say when the steps have run out', () => {
  const { ask } = play({
    codons: {
      draft: [
        { say: 'early' },
        { say: 'late', usage: { output: 3 } },
        { use: 'bash', input: { command: 'ls' } },
      ],
      mute: [{ use: 'bash', input: { command: 'ls' } }],
    },
  })
  const late = { ...said('late'), usage: { output: 3 } }
  expect([1, 2, 3, 4, 5].map(() => ask('draft'))).toMatchObject([
    said('early'),
    late,
    { parts: [{ use: 'bash' }] },
    late,
    late,
  ])
  expect([ask('mute'), ask('mute')]).toMatchObject([{ parts: [{ use: 'bash' }] }, said('Done.')])
})

verifies(
  ['d13/steps-run-out'],
  'goes on with the trouble that a list ends with, and never calls it done',
  () => {
    const fail = { status: 400, message: 'No.' }
    const { ask } = play({
      codons: {
        refused: [{ fail }],
        spoken: [{ say: 'a' }, { fail }, { wait: 5 }],
        full: [{ overflow: true }],
        cut: [{ drop: true }],
        silent: [{ hang: 3 }],
        mended: [{ fail }, { say: 'b' }],
        overcome: [{ say: 'c' }, { overflow: true }],
      },
    })
    const third = (id: string) => [ask(id), ask(id), ask(id)][2]
    expect(third('refused')).toMatchObject({ kind: 'error', ...fail })
    expect([third('spoken'), ask('spoken')]).toMatchObject([
      { kind: 'error', ...fail, wait: 5 },
      { kind: 'error', ...fail },
    ])
    expect(third('full')).toMatchObject({ kind: 'overflow' })
    expect(third('cut')).toMatchObject({ kind: 'drop' })
    expect(third('silent')).toMatchObject({ kind: 'hang', seconds: 3 })
    expect(third('mended')).toMatchObject(said('b'))
    expect(third('overcome')).toMatchObject(said('c'))
  },
)

verifies(['d13/step-use-tools'], 'does what each kind of step says', () => {
  const { ask } = play({
    codons: {
      draft: [
        { use: 'read', input: { path: 'a' } },
        { use: 'write', input: { path: 'a', content: 'b' } },
        { use: 'edit', input: { path: 'a', old: 'b', new: 'c' } },
        { use: 'bash', input: { command: 'ls' } },
        { think: 'hm' },
        { think: 'hm', say: 'so' },
        { fail: { status: 429, message: 'Slow', retryAfter: 2 } },
        { overflow: true },
        { hang: 30 },
        { drop: true },
      ],
    },
  })
  expect(Array.from({ length: 10 }, () => ask('draft'))).toEqual([
    { kind: 'message', parts: [{ kind: 'use', use: 'read', input: { path: 'a' } }] },
    { kind: 'message', parts: [{ kind: 'use', use: 'write', input: { path: 'a', content: 'b' } }] },
    { kind: 'message', parts: [{ kind: 'use', use: 'edit', input: { path: 'a', old: 'b', new: 'c' } }] },
    { kind: 'message', parts: [{ kind: 'use', use: 'bash', input: { command: 'ls' } }] },
    { kind: 'message', parts: [{ kind: 'thinking', text: 'hm' }] },
    {
      kind: 'message',
      parts: [
        { kind: 'thinking', text: 'hm' },
        { kind: 'text', text: 'so' },
      ],
    },
    { kind: 'error', status: 429, message: 'Slow', retryAfter: 2 },
    { kind: 'overflow' },
    { kind: 'hang', seconds: 30 },
    { kind: 'drop' },
  ])
})

test('waits before a step, and charges what the step says', () => {
  const usage = { input: 900, output: 40, cacheRead: 5 }
  const { ask } = play({
    codons: {
      draft: [{ wait: 500 }, { say: 'a', wait: 100, usage }, { overflow: true, wait: 7 }, { wait: 20 }],
    },
  })
  expect([ask('draft'), ask('draft'), ask('draft')]).toEqual([
    { ...said('a'), usage, wait: 600 },
    { kind: 'overflow', wait: 7 },
    { ...said('a'), usage, wait: 20 },
  ])
})

test('refuses again, without a step, a harness that asks the same once more in one piece', () => {
  const { ask } = play({ codons: { draft: [{ fail: { status: 404 } }, { say: 'next' }] } })
  expect(ask('draft')).toMatchObject({ status: 404 })
  expect(ask('draft', { stream: false })).toMatchObject({ status: 404 })
  expect(ask('draft')).toEqual(said('next'))
})

describe('a codon without steps', () => {
  const turns = (...texts: readonly string[]) => [
    { role: 'user' as const, text: '', texts, calls: [], results: [] },
  ]

  test('writes down the first lines of its prompt, then says so as often as it is asked', () => {
    const { ask } = play({})
    const lines = Array.from({ length: 30 }, (_, number) => `line ${number}`)
    const first = ask('review#1', {
      turns: turns('<system-reminder>noise</system-reminder>', lines.join('\n')),
    })
    expect(first).toEqual({
      kind: 'message',
      parts: [
        {
          kind: 'use',
          use: 'write',
          input: {
            path: 'rehearsal/review#1.md',
            content: `# review#1\n\n${lines.slice(0, 10).join('\n')}\n`,
          },
        },
      ],
    })
    const told = said('I wrote the first lines of my prompt to rehearsal/review#1.md.')
    expect([ask('review#1'), ask('review#1')]).toEqual([told, told])
  })

  test('takes the prompt that it was told, whatever the agent puts beside it', () => {
    const rehearsal = createRehearsal({ script: {}, strict: true, promptOf: id => `the prompt of ${id}` })
    const asked = request({ key: rehearsal.keyFor('b'), turns: turns('# Environment', 'the prompt of b') })
    expect(rehearsal.respond(asked)).toMatchObject({
      parts: [{ input: { content: '# b\n\nthe prompt of b\n' } }],
    })
  })

  test('takes the newest prompt of a conversation that goes on', () => {
    const { ask } = play({})
    const talk = [
      ...turns('old'),
      { role: 'assistant' as const, text: 'x', texts: ['x'], calls: [], results: [] },
    ]
    expect(JSON.stringify(ask('b', { turns: [...talk, ...turns('new')] }))).toContain('new')
  })

  test.each([
    ['../../etc/passwd', 'rehearsal/.._.._etc_passwd.md'],
    ['..', 'rehearsal/_.md'],
    ['a b\\c:d\u0000', 'rehearsal/a_b_c_d_.md'],
    ['Größe', 'rehearsal/Größe.md'],
    ['x'.repeat(300), `rehearsal/${'x'.repeat(100)}.md`],
  ])('makes a safe file name of %j', (id, path) => {
    expect(play({}).ask(id)).toMatchObject({ parts: [{ input: { path } }] })
  })
})

describe('requests that harnesses make for themselves', () => {
  test('take no step: no tool to work with', () => {
    const { ask } = play({ codons: { draft: [{ say: 'one' }] } })
    expect(ask('draft', { tools: [], declarations: [] })).toEqual(said('ok'))
    expect(ask('draft', { tools: ['json'], schema: { enum: ['title'] } })).toEqual(said('"title"'))
    expect(ask('draft')).toEqual(said('one'))
  })

  test('take no step: a summary of the conversation', () => {
    const { ask } = play({ codons: { draft: [{ say: 'one' }, { say: 'two' }] } })
    const asked = [
      'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.',
      'an <analysis> block followed by a <summary> block',
      'Your task is to create a detailed summary of the conversation so far.',
    ].join('\n')
    const summary = ask('draft', {
      turns: [{ role: 'user', text: asked, texts: [asked], calls: [], results: [] }],
    })
    expect(summary).toMatchObject({ parts: [{ text: expect.stringContaining('<summary>') }] })
    const prompt = 'Your task is to create a detailed summary of this report.'
    const turns = [{ role: 'user' as const, text: prompt, texts: [prompt], calls: [], results: [] }]
    expect(ask('draft', { turns })).toEqual(said('one'))
  })
})

verifies(
  ['d13/script-sentinels'],
  'gives a sentinel its outputs in order, and the last one again and again',
  () => {
    const { rehearsal } = play({
      codons: { 'sentinel-narrator': [{ say: 'I am a codon' }] },
      sentinels: { narrator: ['first', '{"a":1}'] },
    })
    const key = rehearsal.sentinelKeyFor('narrator')
    const ask = () => rehearsal.respond(request({ key, tools: [] }))
    expect(key).toBe('rehearsal-sentinel-narrator')
    expect([ask(), ask(), ask()]).toEqual([said('first'), said('{"a":1}'), said('{"a":1}')])
    expect(rehearsal.respond(request({ key: rehearsal.keyFor('sentinel-narrator') }))).toEqual(
      said('I am a codon'),
    )
  },
)

test('a sentinel without outputs says something, in the shape that is asked for', () => {
  const { rehearsal } = play({})
  const key = rehearsal.sentinelKeyFor('narrator')
  expect(rehearsal.respond(request({ key }))).toEqual(said('The sentinel narrator watches a rehearsal.'))
  const schema = { type: 'object', properties: { mood: { enum: ['good'] } } }
  expect(rehearsal.respond(request({ key, schema }))).toEqual(said('{"mood":"good"}'))
})

test('the key of nobody takes no step, and a foreign key is refused', () => {
  const { rehearsal } = play({ codons: { '*': [{ say: 'step' }] } })
  expect(rehearsal.respond(request({ key: rehearsal.nobodysKey }))).toEqual(said('ok'))
  expect(rehearsal.respond(request({ key: 'sk-real' }))).toMatchObject({ kind: 'error', status: 401 })
  expect(rehearsal.leftovers()).toHaveLength(1)
})

describe('what a strict rehearsal complains about', () => {
  test('nothing, when every step was taken and the last say came again', () => {
    const { ask, rehearsal } = play({ codons: { draft: [{ wait: 1 }, { say: 'one' }] } })
    ask('draft')
    ask('draft')
    expect(rehearsal.leftovers()).toEqual([])
  })

  test('a codon without steps, steps that were not taken, and steps that nobody has', () => {
    const { ask, rehearsal } = play({
      codons: { draft: [{ say: 'one' }, { say: 'two' }], 'a b': [{ say: 'x' }] },
    })
    ask('draft#0')
    ask('bare')
    ask('bare')
    const left = (where: string, message: string) => ({
      severity: 'error',
      code: 'rehearsal/steps',
      where,
      message,
    })
    expect(rehearsal.leftovers()).toEqual([
      left('codons', 'there are no steps for bare'),
      left('codons["a b"]', 'no codon took these steps'),
      left('codons.draft', 'draft#0 took 1 of 2 steps'),
    ])
  })

  test('nothing at all, when it is not strict', () => {
    const rehearsal = createRehearsal({ script: { codons: { draft: [{ say: 'one' }] } }, strict: false })
    rehearsal.respond(request({ key: rehearsal.keyFor('bare') }))
    expect(rehearsal.leftovers()).toEqual([])
  })
})

type Ask = (runtimeId: string, changes?: Partial<ModelRequest>) => Answer

function play(script: RehearsalScript): { readonly ask: Ask; readonly rehearsal: Rehearsal } {
  const rehearsal = createRehearsal({ script, strict: true })
  return {
    rehearsal,
    ask: (id, changes = {}) => rehearsal.respond(request({ key: rehearsal.keyFor(id), ...changes })),
  }
}

function said(text: string): Answer {
  return { kind: 'message', parts: [{ kind: 'text', text }] }
}
