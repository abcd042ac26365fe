import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { loadPatterns } from '../../src/hank/index.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { startEffort } from '../../src/sentinel/sandbox-job.ts'
import { createTemplate } from '../../src/sentinel/template.ts'
import { event } from './observed-events.ts'
import { anyData, openSandbox } from './sandboxes.ts'
import { attachment, scene } from './scene.ts'

const secret = 'sesame-open-the-door'
const redactor = createRedactor([{ name: 'MY_API_KEY', value: secret }])
const halves = [event('info', { message: 'sesame-open' }), event('info', { message: '-the-door' })]
const data = { ...anyData, batch: { events: halves, eventCount: 2 } }

/** Less than what templates have, so that one that is ended from outside is ended within a second, too. */
const sandbox = await openSandbox({ milliseconds: 150 })

type Fate = { readonly prints: string } | { readonly fails: RegExp }

/** By what it tries; what it comes to. */
const templates: Readonly<Record<string, readonly [source: string, fate: Fate]>> = {
  'the constructor of a constructor': [
    '<%= it.constructor.constructor("return process.env.MY_API_KEY")() %>',
    { fails: /'process' is not defined/ },
  ],
  'a walk along prototypes': [
    '<% let at = it; while (Object.getPrototypeOf(at)) at = Object.getPrototypeOf(at) %><%= Object.getOwnPropertyNames(at).filter(name => /require|process|env/.test(name)) %>',
    { prints: '[]' },
  ],
  eval: ['<%= eval("typeof require + typeof module") %>', { prints: 'undefinedundefined' }],
  'a new function': [
    '<%= new Function("return this.process.env")() %>',
    { fails: /cannot read property 'env' of undefined/ },
  ],
  'a module': [
    '<% import("node:fs").then(fs => { it.found = fs.readFileSync("/etc/passwd") }) %><%= typeof it.found %>',
    { prints: 'undefined' },
  ],
  WebAssembly: [
    '<%= new WebAssembly.Module(new Uint8Array([0, 97, 115, 109])) %>',
    { fails: /'WebAssembly' is not defined/ },
  ],
  'a loop without end': [
    '<% try { for (;;) {} } finally { for (;;) {} } %>',
    { fails: /it ran for too long/ },
  ],
  'promises without end': [
    '<% const spin = () => Promise.resolve().then(spin); spin() %>quiet',
    { prints: 'quiet' },
  ],
  'a bomb of memory': [
    '<% const all = []; for (;;) all.push(new Uint8Array(1e7)) %>',
    { fails: /more than 64 MiB|was stopped/ },
  ],
  'recursion without end': [
    '<% const deep = () => [deep()].concat(deep()); deep() %>',
    { fails: /called itself too deeply/ },
  ],
  'a getter that never returns, inside a huge text': [
    '<%= ({ huge: "x".repeat(9e5), get toJSON() { for (;;) this.more = (this.more ?? "") + "x" } }) %>',
    { fails: /ran for too long|more than 64 MiB|too long/ },
  ],
  'a secret put together from halves, with everything overridden': [
    '<% JSON.stringify = () => ""; String.prototype.replace = () => "no"; Array.prototype.join = undefined %><%= it.events[0].data.message + it.events[1].data.message %>',
    { prints: '[redacted:MY_API_KEY]' },
  ],
}

describe('a hostile template', () => {
  test('is one of twelve', () => {
    expect(Object.keys(templates)).toHaveLength(12)
  })

  test.each(Object.entries(templates))(
    'that tries %s is literal or fails, within a second',
    async (_, row) => {
      const [source, fate] = row
      const created = await createTemplate(source, { sandbox, redactor })
      if (!created.ok) throw new Error(created.message)
      const effort = startEffort()
      const result = await created.template.render(data)
      expect(effort()).toBeLessThan(1_000)
      expect(JSON.stringify(result)).not.toContain(secret)
      if ('prints' in fate) expect(result).toEqual({ ok: true, text: fate.prints })
      else expect(result).toMatchObject({ ok: false, message: expect.stringMatching(fate.fails) })
    },
  )

  verifies(
    ['d10/template-isolated', 'd10/template-time-limit', 'd12/secret-sentinel-prompt'],
    'reaches no model with a secret, and is told as template-render-failed while the program goes on',
    async () => {
      // Each that goes on until it is stopped takes a second.
      const some = Object.entries(templates).flatMap(([name, row]) =>
        name.includes('getter') || name.includes('bomb') ? [] : [row],
      )
      const all = some.map(([userPromptText], at) =>
        attachment({ id: `s-${at}`, userPromptText, execution: { strategy: 'count', threshold: 2 } }),
      )
      const { load, said, model } = await scene(all, { redactor })
      const attached = await load()
      for (const one of halves) attached.route(one)
      let turns = 0
      const ticking = setInterval(() => turns++, 5)
      await attached.finish({ reason: 'codon-complete' })
      clearInterval(ticking)
      expect(turns).toBeGreaterThan(20)
      const fails = some.filter(([, fate]) => 'fails' in fate)
      expect(said('sentinel.error').map(({ errorType }) => errorType)).toEqual(
        fails.map(() => 'template-render-failed'),
      )
      expect(said('sentinel.output')).toHaveLength(some.length - fails.length)
      expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain(secret)
    },
    60_000,
  )
})

const long = 'a'.repeat(1 << 20)

/** By its shape: the pattern, and the text that is worst for it. Undefined: it is refused when the hank is loaded. */
const patterns: Readonly<Record<string, readonly [pattern: string, text?: string]>> = {
  'a repetition inside a repetition': ['^(a+)+$', `${long}b`],
  'choices that overlap': ['^(a|a|aa)*$', `${long}b`],
  'two that share their letters': ['(x+x+)+y', 'x'.repeat(1 << 20)],
  'many greedy stars in a row': ['.*.*.*.*.*.*.*.*=.*', long],
  'a star of stars': ['((a*)*)*b', long],
  'an optional letter, often': [`${'a?'.repeat(60)}${'a'.repeat(60)}$`, `${long}b`],
  'a choice far from the end': ['(a|b)*a(a|b){250}c', 'ab'.repeat(1 << 18)],
  'a class of everything, counted': ['([^]{1,60}x){4}$', long],
  'words that are all beginnings of each other': [
    `(${Array.from({ length: 40 }, (_, at) => 'a'.repeat(at + 1)).join('|')})+b`,
    long,
  ],
  'counts inside counts': ['((a{1,90}){1,90}){1,90}'],
  'a reference back': ['(a*)*\\1b'],
  'a look ahead': ['(?=(a+))*b'],
}

describe('a hostile regular expression', () => {
  test('is one of twelve', () => {
    expect(Object.keys(patterns)).toHaveLength(12)
  })

  verifies(
    ['d10/condition-matches-bounded'],
    'is refused at load, or answers within a second whatever the text is',
    async () => {
      const compile = await loadPatterns()
      for (const [name, [pattern, text]] of Object.entries(patterns)) {
        const effort = startEffort()
        const compiled = compile(pattern)
        expect({ name, ok: compiled.ok }).toEqual({ name, ok: text !== undefined })
        if (compiled.ok) compiled.test(text ?? '')
        expect({ name, isQuick: effort() < 1_000 }).toEqual({ name, isQuick: true })
      }
    },
  )
})
