import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  continuationsOf,
  definitionsAt,
  type EditorFacts,
  flatOutline,
  mentionsOf,
  outlineOf,
  readEdited,
  renameId,
  suggestionsAt,
  templateSuggestions,
} from '../../src/editor/index.ts'

const hank = `{
  "overrides": { "budget": { "maxDollars": 4, "allocation": "proportional", "shares": { "draft": 0.5, "fix": 0.5 } } },
  "hank": [
    { "id": "draft", "name": "Draft", "model": "sonnet", "continuationMode": "fresh", "promptFile": "a.md" },
    { "type": "loop", "id": "fix", "name": "Fix", "codons": [
      { "id": "look", "name": "Look", "continuationMode": "continue-previous", "promptText": "x" },
      { "id": "mend", "name": "Mend", "continuationMode": "continue-previous", "promptText": "x" }
    ] }
  ]
}`
const script = '{ "codons": { "look": [{ "say": "a" }], "look#1": [{ "say": "b" }], "*": [{ "say": "c" }] } }'
const texts = { hank: readEdited(hank), script: readEdited(script) }
const facts: EditorFacts = {
  models: () => [],
  files: kind => [`${kind}.txt`],
  codonIds: () => ['look', 'mend'],
  sentinelIds: () => ['watch'],
  variables: () => ['CI'],
}
const after = (text: string, piece: string) => text.indexOf(piece) + piece.length
const written = ({ start, end }: { start: number; end: number }, text = hank) => text.slice(start, end)

describe('what a text says', () => {
  test('codons and loops, each with its id', () => {
    expect(flatOutline(outlineOf(texts.hank)).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'codon draft',
      'loop fix',
      'codon look',
      'codon mend',
    ])
  })

  test('goes to the codons that one goes on with: for the first of a loop the one before and the last of the loop', () => {
    const at = (piece: string) => definitionsAt(texts, { document: 'hank', offset: after(hank, piece) })
    const first = at('"name": "Look", "continuationMode": "cont')
    expect(first.map(({ span }) => written(span))).toEqual(['"draft"', '"mend"'])
    const second = at('"name": "Mend", "continuationMode": "cont')
    expect(second.map(({ span }) => written(span))).toEqual(['"look"'])
    expect(continuationsOf(texts, 'draft')).toHaveLength(1)
  })

  test('from a share and from a step of a script to the codon', () => {
    const share = definitionsAt(texts, { document: 'hank', offset: after(hank, '"shares": { "dr') })
    expect(share.map(({ span }) => written(span))).toEqual(['"draft"'])
    const step = definitionsAt(texts, { document: 'script', offset: after(script, '"look#') })
    expect(step.map(({ span }) => written(span))).toEqual(['"look"'])
  })
})

describe('another id', () => {
  test('is written in the hank, in shares and in the script, where iterations stay', () => {
    const renamed = renameId(texts, 'look', 'read')
    expect(renamed.ok && renamed.changes.map(({ document, text }) => `${document} ${text}`)).toEqual([
      'hank "read"',
      'script "read"',
      'script "read#1"',
    ])
    const shared = renameId(texts, 'fix', 'mend-all')
    expect(shared.ok && shared.changes).toHaveLength(2)
  })

  test.each([
    ['mend', 'There is a codon or a loop "mend" already.'],
    ['', 'An id cannot be empty.'],
    ['a#1', 'An id that ends like the number of an iteration would be taken for one.'],
    ['a\n', 'An id cannot have a control character in it.'],
  ])('%j is refused', (to, message) => {
    expect(renameId(texts, 'look', to)).toEqual({ ok: false, message })
  })
})

describe('suggestions', () => {
  const at = (piece: string, kind: Parameters<typeof suggestionsAt>[0] = 'hank', text = hank) =>
    suggestionsAt(kind, { text, offset: after(text, piece) }, facts).map(({ label }) => label)

  test('files, where a field names one', () => {
    expect(at('"promptFile": "a')).toEqual(['prompt.txt'])
  })

  test('ids of the children, as keys of shares', () => {
    expect(at('"shares": { "')).toEqual(['draft', 'fix'])
  })

  test('ids of codons and sentinels in a script', () => {
    expect(at('"codons": { "', 'rehearsal', script)).toEqual(['look', 'mend', '*'])
    expect(at('"sentinels": { "', 'rehearsal', '{ "sentinels": { "" } }')).toEqual(['watch'])
  })

  test('events in a sentinel, variables in requirements', () => {
    expect(at('"on": ["', 'sentinel', '{ "trigger": { "on": [""] } }')).toContain('tool.result')
    expect(at('"env": ["', 'hank', '{ "requirements": { "env": [""] } }')).toEqual(['CI'])
  })

  test('the whole literal is replaced', () => {
    const offset = after(hank, '"promptFile": "a')
    const [first] = suggestionsAt('hank', { text: hank, offset }, facts)
    expect(first && written(first.span)).toBe('"a.md"')
  })

  test('variables of a prompt after <%', () => {
    const text = 'Look into <%DATA and go on'
    const found = templateSuggestions(text, after(text, '<%DA'))
    expect(found.map(({ label }) => label)).toContain('<%DATA_DIR%>')
    expect(found[0] && written(found[0].span, text)).toBe('<%DATA')
    expect(templateSuggestions(text, 3)).toEqual([])
  })
})

test('any text and any offset: nothing throws', () => {
  const pieces = fc.array(
    fc.constantFrom(
      hank,
      script,
      '{',
      '}',
      '[',
      '"hank":',
      '"id":"a"',
      ',',
      '\\',
      '"',
      '\ud83d',
      '__proto__',
      '0',
    ),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(pieces, fc.nat(2_000), (parts, offset) => {
      const text = parts.join('')
      const both = { hank: readEdited(text), script: readEdited(text) }
      for (const kind of ['hank', 'sentinel', 'weave', 'rehearsal'] as const)
        suggestionsAt(kind, { text, offset: Math.min(offset, text.length) }, facts)
      for (const document of ['hank', 'script'] as const) definitionsAt(both, { document, offset })
      mentionsOf(both, 'look')
      outlineOf(both.hank)
    }),
    { numRuns: 500 },
  )
})

test('a text that is nested far too deep is not read', () => {
  const deep = '['.repeat(100_000)
  expect(readEdited(deep).root).toBeUndefined()
  expect(suggestionsAt('hank', { text: deep, offset: 50_000 }, facts)).toEqual([])
})
