import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { mostCharacters } from '../../src/sentinel/event-batch.ts'
import { compileTemplate, createTemplate } from '../../src/sentinel/template.ts'
import { event } from './observed-events.ts'
import { anyData, noSecrets, openSandbox, rendered } from './sandboxes.ts'

const sandbox = await openSandbox()
/** So that tests of what never ends do. */
const hasty = await openSandbox({ milliseconds: 200 })
/** So that a slow machine comes to the other limits, and not to that of time. */
const patient = await openSandbox({ milliseconds: 10_000 })

async function text(source: string, data: Partial<typeof anyData> = {}): Promise<string> {
  const result = await rendered(source, { sandbox, data })
  if (!result.ok) throw new Error(result.message)
  return result.text
}

const whyOf = { resource: 'limit', template: 'template', passing: 'run' } as const

async function fault(source: string, inside = sandbox): Promise<string> {
  const created = await createTemplate(source, { sandbox: inside, redactor: noSecrets })
  if (!created.ok) return `load: ${created.message}`
  const result = await created.template.render(anyData)
  return result.ok ? `printed: ${result.text}` : `${whyOf[result.lasting ?? 'passing']}: ${result.message}`
}

const batchOf = (...events: ReturnType<typeof event>[]) => ({ batch: { events, eventCount: events.length } })

describe('a template', () => {
  verifies(['d10/template-print'], 'prints the value of an expression', async () => {
    expect(await text('a <%= 1 + 2 %> b <%= "x".repeat(3) // thrice %>.')).toBe('a 3 b xxx.')
    expect(await text('<%= null %>|<%= undefined %>|<%= false %>|<%= 0 %>')).toBe('||false|0')
    expect(await text('<%= [1, { a: 2 }] %>')).toBe('[1,{"a":2}]')
  })

  verifies(['d10/template-control'], 'has control flow, which leaves no empty lines', async () => {
    const source = 'Events:\n<% for (const one of it.events) { %>\n- <%= one.type %>\n<% } %>\nEnd.'
    expect(await text(source, batchOf(event('info'), event('tool.result')))).toBe(
      'Events:\n- info\n- tool.result\nEnd.',
    )
    expect(await text('<% if (it.events.length === 0) { %>none<% } else { %>some<% } %>')).toBe('none')
  })

  verifies(['d10/template-events'], 'sees the events as data, whatever is in them', async () => {
    const nasty = '<%= 7 * 7 %> <% throw 1 %> `$' + '{1}` </script> \\" \u2028 \ud83d\ude00'
    const events = batchOf(event('info', { message: nasty }), event('info', { message: 'last' }))
    expect(await text('<%= it.events[0].data.message %>', events)).toBe(nasty)
    expect(JSON.parse(await text('<%= JSON.stringify(it.events.slice(-1)) %>', events))).toEqual([
      events.batch.events[1],
    ])
  })

  verifies(
    ['d14/template-dates', 'd10/template-codon', 'd10/template-current-time'],
    'sees the two times as dates: they print as ISO text, can be counted with, and know what dates know',
    async () => {
      const began = '2026-01-01T00:00:00.000Z'
      const now = '2026-01-01T00:10:00.000Z'
      expect(await text('<%= it.codon.startTime %>, <%= it.world.currentTime %>')).toBe(`${began}, ${now}`)
      expect(await text('<%= (it.world.currentTime - it.codon.startTime) / 1000 %> s')).toBe('600 s')
      expect(await text('<%= it.world.currentTime.toISOString() %>')).toBe(now)
      expect(await text('<%= it.codon.startTime.getUTCFullYear() + 1 %>')).toBe('2027')
      expect(await text('<%= "since " + it.codon.startTime %>')).toBe(`since ${began}`)
      expect(await text('<%= it.codon.startTime instanceof Date %>')).toBe('true')
      expect(await text('<%= JSON.stringify(it.world) %>')).toBe(`{"currentTime":"${now}"}`)
      expect(await text('<%= new Date(0) %>|<%= new Date("never") %>')).toBe('1970-01-01T00:00:00.000Z|null')
    },
  )

  verifies(['d10/template-codon', 'd10/template-current-time'], 'sees the codon and the time', async () => {
    const codon = {
      id: 'review#1',
      name: 'Review',
      description: 'Twice.',
      startTime: '2026-01-01T00:00:00.000Z',
    }
    const source = '<%= it.codon.id %>|<%= it.codon.name %>|<%= it.codon.description %>|'
    const age = '<%= (it.world.currentTime - it.codon.startTime) / 60000 %> min'
    expect(await text(source + age, { codon })).toBe('review#1|Review|Twice.|10 min')
    expect(await text('<%= it.codon.description %>.')).toBe('.')
  })

  test('without tags is its own text and needs no interpreter', () => {
    expect(compileTemplate('100 % of <b>')).toEqual({ kind: 'text', text: '100 % of <b>' })
  })

  test('prints every text around its tags exactly as it is written', async () => {
    const piece = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter(one => !one.includes('<%') && !one.endsWith('<'))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 2, maxLength: 4 }), async pieces => {
        expect(await text(pieces.join('<%= "|" %>'))).toBe(pieces.join('|'))
      }),
      { numRuns: 30 },
    )
  })

  test('that is broken is refused before it runs, with the line', async () => {
    expect(await fault('one\ntwo <%= 1 + %>')).toBe(
      "load: line 2: SyntaxError: unexpected token in expression: ')'",
    )
    expect(await fault('one\n\n<% if (x) {')).toBe('load: line 3: <% is never closed')
    expect(await fault('<% for (;;) { %>x')).toContain('load: ')
  })

  test('that fails says on which line', async () => {
    expect(await fault('a\n\nb <%= it.nothing.here %>')).toBe(
      "run: line 3: TypeError: cannot read property 'here' of undefined",
    )
    expect(await fault('a\n<%= its.events %>')).toBe("template: line 2: ReferenceError: 'its' is not defined")
    expect(await fault('<% throw 5 %>')).toBe('run: 5')
    expect(await fault('<% throw { message: "mine", name: "Own" } %>')).toBe('run: Own: mine')
  })

  verifies(
    ['d12/secret-sentinel-prompt'],
    'prints no secret, also one that two events held in halves',
    async () => {
      const redactor = createRedactor([{ name: 'MY_API_KEY', value: 'abcdefghijklmnop' }])
      const data = batchOf(event('info', { message: 'abcdefgh' }), event('info', { message: 'ijklmnop' }))
      const source = 'It is <%= it.events.map(one => one.data.message).join("") %>.'
      expect(await rendered(source, { sandbox, data, redactor })).toEqual({
        ok: true,
        text: 'It is [redacted:MY_API_KEY].',
      })
      expect(await rendered('plain abcdefghijklmnop', { sandbox, redactor })).toMatchObject({
        text: 'plain [redacted:MY_API_KEY]',
      })
    },
  )

  test('gets the newest events that there is room for', async () => {
    const content = 'x'.repeat(mostCharacters / 3)
    const events = batchOf(...[1, 2, 3, 4].map(n => event('file.updated', { n, content })))
    expect(await text('<%= it.events.map(one => one.data.n) %>', events)).toBe('[3,4]')
  })
})

describe('a template cannot', () => {
  verifies(['d10/template-isolated'], 'reach anything of the program', async () => {
    const reaches = [
      'typeof require',
      'typeof process',
      'typeof fetch',
      'typeof Buffer',
      'typeof module',
      'typeof setTimeout',
      'typeof WebAssembly',
      'typeof console',
      '(() => {}).constructor("return typeof process")()',
      'new Function("return typeof require")()',
      'Function.prototype.constructor("return typeof globalThis.process")()',
      '[].constructor.constructor("return typeof process")()',
      'it.constructor.constructor("return typeof process")()',
      'eval("typeof process")',
      'Reflect.construct(Function, ["return typeof require"])()',
    ]
    expect(await Promise.all(reaches.map(code => text(`<%= ${code} %>`)))).toEqual(
      reaches.map(() => 'undefined'),
    )
    expect(
      await text(
        '<%= Object.getOwnPropertyNames(globalThis).filter(name => /^(os|std|host|fs)$/.test(name)) %>',
      ),
    ).toBe('[]')
    expect(await fault('<% import("fs").then(fs => { it.fs = fs }) %><%= typeof it.fs %>')).toBe(
      'printed: undefined',
    )
    expect(await fault('<% } ); throw new Error(typeof process); (function () { %>')).toContain('undefined')
  })

  test('leave anything behind for the next one', async () => {
    await text(
      '<% Object.prototype.polluted = 1; Array.prototype.join = () => "mine"; globalThis.kept = 2 %>',
    )
    await fault('<% JSON.parse = () => ({ events: [] }); it.__proto__.x = 1; throw new Error("away") %>')
    expect(await text('<%= typeof kept %> <%= ({}).polluted %> <%= [1, 2].join() %> <%= ({}).x %>')).toBe(
      'undefined  1,2 ',
    )
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  verifies(
    ['d10/template-time-limit'],
    'run without end, also where the interpreter does not notice',
    async () => {
      expect(await fault('<% for (;;) {} %>', hasty)).toBe('limit: it ran for too long')
      expect(await fault('<% try { for (;;) {} } finally { for (;;) {} } %>', hasty)).toBe(
        'limit: it ran for too long',
      )
      expect(await fault('<%= /(a+)+$/.test("a".repeat(40) + "b") %>', hasty)).toBe(
        'limit: it ran for too long',
      )
      // Functions of the interpreter itself, which look at no clock.
      const deaf = 'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)'
      expect(await fault(`<%= ${deaf} %>`, hasty)).toBe('limit: it did not come to an end and was stopped')
      expect(await fault('<%= "and goes on" %>', hasty)).toBe('printed: and goes on')
    },
    60_000,
  )

  verifies(
    ['d10/template-memory-limit'],
    'use memory, depth or room without end',
    async () => {
      expect(await fault('<% const all = []; for (;;) all.push(new Uint8Array(1e7)) %>', patient)).toBe(
        'limit: it used more than 64 MiB of memory',
      )
      expect(await text('<%= new Uint8Array(4e7).length %>')).toBe('40000000')
      expect(await fault('<%= new Uint8Array(7e7).length %>', patient)).toBe(
        'limit: it used more than 64 MiB of memory',
      )
      expect(await fault('<%= "x".repeat(2 ** 29) %>')).toMatch(/^limit: /)
      expect(await fault('<%= (function deep() { return deep() + 1 })() %>', patient)).toBe(
        'limit: it called itself too deeply',
      )
      expect(await fault('<% const own = { toString: () => String(own) } %><%= String(own) %>')).toMatch(
        /^limit: /,
      )
      expect(await fault('<%= "x".repeat(1_000_001) %>', patient)).toBe(
        'limit: the prompt is longer than 1000000 characters',
      )
      expect(await text('<%= "x".repeat(1_000_000).length %>')).toBe('1000000')
    },
    120_000,
  )
})

test('data as deep as a journal may hold it is no problem', async () => {
  const deep = JSON.parse(`${'{"a":['.repeat(32)}1${']}'.repeat(32)}`) as object
  expect(await text('<%= JSON.stringify(it.events[0].data).length %>', batchOf(event('info', deep)))).toBe(
    '257',
  )
})
