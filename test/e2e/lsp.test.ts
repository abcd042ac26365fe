import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect } from 'vitest'
import type { CodeAction, Diagnostic, TextEdit, WorkspaceEdit } from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { verifies } from '../conformance/verifies.ts'
import { addressOf, type Editor, startEditor } from '../support/editor.ts'
import { folderAt, hankFolder, lightAgents, lightCodon } from '../support/hank-folder.ts'
import { mutated } from '../support/hank-mutations.ts'
import { isProof, proofSeed, tally } from '../support/proof.ts'
import { launcher, root } from '../support/weave-command.ts'

const codon = (id: string, more: object = {}) => ({
  id,
  name: id,
  model: 'sonnet',
  continuationMode: 'fresh',
  promptText: 'Work.',
  ...more,
})

const looped = (codons: readonly object[], more: object = {}) => ({
  type: 'loop',
  id: 'l',
  name: 'L',
  terminateOn: { type: 'iterationLimit', limit: 2 },
  codons,
  ...more,
})
const run = (command: string) => ({ type: 'command', command: { run: command } })

const editors: Editor[] = []
afterEach(async () => {
  for (const editor of editors.splice(0)) await editor.close()
})

async function edit(cwd: string, env?: NodeJS.ProcessEnv): Promise<Editor> {
  const editor = await startEditor({
    command: [process.execPath, launcher],
    cwd,
    env: env ?? { ...process.env, HOME: cwd },
  })
  editors.push(editor)
  return editor
}

const positionOf = (text: string, piece: string, more = 0) =>
  TextDocument.create('a:b', 'json', 0, text).positionAt(text.indexOf(piece) + more)

describe('what an editor is told', () => {
  verifies(
    ['lsp/unsaved', 'lsp/machine'],
    'counts what is not saved, in the hank and in the files that it names',
    async () => {
      const folder = await hankFolder(
        [
          codon('a', {
            sentinels: [{ sentinelConfig: 'watch.json' }],
            promptText: undefined,
            promptFile: 'a.md',
          }),
        ],
        {
          'a.md': 'Work.\n',
          'watch.json': '{}',
        },
      )
      const editor = await edit(folder.path())
      const [hank, sentinel] = [folder.path('hank.json'), folder.path('watch.json')]
      const text = readFileSync(hank, 'utf8')
      editor.open(hank, text)
      const told = await editor.diagnostics(sentinel)
      expect(told.map(({ code }) => code)).toContain('sentinel/missing-field')
      const good = {
        id: 'watch',
        name: 'Watch',
        model: 'haiku',
        trigger: { type: 'event', on: ['tool.result'] },
        execution: { strategy: 'immediate' },
        userPromptText: 'Look.',
      }
      editor.open(sentinel, JSON.stringify(good))
      expect(await editor.diagnostics(sentinel)).toEqual([])
      editor.change(hank, text.replace('a.md', 'b.md'))
      expect((await editor.diagnostics(hank)).map(({ code }) => code)).toEqual(['path/missing'])
    },
  )

  verifies(['lsp/newest'], 'of two hundred changes in a row, is about the last', async () => {
    const folder = await hankFolder([codon('a')])
    const editor = await edit(folder.path())
    const hank = folder.path('hank.json')
    const text = readFileSync(hank, 'utf8')
    editor.open(hank, text)
    await editor.diagnostics(hank)
    let told = 0
    editor.onDiagnostics(() => {
      told += 1
    })
    for (let at = 0; at < 200; at++) editor.change(hank, text.replace('"sonnet"', `"sonnet-${at}"`))
    const [problem] = await editor.diagnostics(hank)
    expect(problem?.message).toContain('sonnet-199')
    expect(told).toBeLessThan(5)
  })

  verifies(
    ['lsp/diagnostics'],
    'is what weave validate finds, for mutations of all examples',
    async () => {
      const total = isProof ? 5_000 : 40
      const folder = await hankFolder([codon('a')])
      const names = readdirSync(join(root, 'examples')).filter(name => /^\d/.test(name))
      const seed = proofSeed ?? 7
      const random = fc.sample(fc.tuple(fc.nat(1e9), fc.nat(1e9), fc.nat(1e9)), { numRuns: total, seed })
      const mutants = random.map(([which, where, how], at) => {
        const name = names[which % names.length] ?? ''
        const directory = folder.path(`m${at}`)
        cpSync(join(root, 'examples', name), directory, { recursive: true })
        const file = join(directory, 'hank.json')
        const text = mutated(readFileSync(file, 'utf8'), where, how)
        writeFileSync(file, text)
        return { directory, file, text }
      })
      const env = { ...process.env, HOME: folder.path('home') }
      mkdirSync(folder.path('home'), { recursive: true })
      const editor = await edit(folder.path(), env)
      const at = folderAt(folder.path(), { HOME: env.HOME })
      let compared = 0
      // Many at once: a process for each would take hours.
      for (let from = 0; from < total; from += batch) {
        const some = mutants.slice(from, from + batch)
        const found = at.weave('validate', '--format', 'json', '--skip-self-test', ...some.map(directoryOf))
        const { hanks } = JSON.parse(found.stdout) as { hanks: readonly { problems: readonly Told[] }[] }
        for (const { file, text } of some) editor.open(file, text)
        for (const [which, { file, text }] of some.entries()) {
          const problems = hanks[which]?.problems ?? []
          const diagnostics = await editor.diagnostics(file)
          expect(diagnostics.map(shortOf).sort(), text).toEqual(
            problems
              .filter(({ code, place }) => !ofMachine.test(code) && isOf(place))
              .map(wordsOf)
              .sort(),
          )
          compared += 1
          editor.notify('textDocument/didClose', { textDocument: { uri: addressOf(file) } })
        }
      }
      tally('mutations of hanks, told alike by editor and command', compared)
      expect(compared).toBe(total)
    },
    isProof ? 1_800_000 : 120_000,
  )
})

const batch = 40
const directoryOf = ({ directory }: { readonly directory: string }) => directory

interface Told {
  readonly code: string
  readonly where: string
  readonly message: string
  readonly place?: { readonly file: string; readonly line: number; readonly column: number }
}

const ofMachine = /^(?:key\/missing|harness\/|selftest\/|data\/)/
const isOf = (place: Told['place']) => place === undefined || place.file.endsWith('hank.json')

function shortOf({ range: { start }, code, message }: Diagnostic): string {
  return `${start.line + 1}:${start.character + 1} ${code} ${typeof message === 'string' ? message : message.value}`
}

/** Other words may stand in a message when something else was mended. */
const kindOf = ({ range: { start }, code }: Diagnostic) => `${start.line} ${code}`

function wordsOf({ place, code, where, message }: Told): string {
  return `${place?.line ?? 1}:${place?.column ?? 1} ${code} ${where === '' ? message : `${where}: ${message}`}`
}

describe('what an editor can do about it', () => {
  const faulty = [
    ['a misspelt key', [{ ...codon('a'), continuationMod: 'fresh', continuationMode: undefined }]],
    ['a misspelt model', [codon('a', { model: 'sonnett' })]],
    ['a misspelt value', [codon('a', { onFailure: 'retyr' })]],
    ['a misspelt file', [codon('a', { promptText: undefined, promptFile: 'promt.md' })]],
    [
      'a field at the wrong level',
      [{ ...looped([codon('b', { onFailure: 'abort' })]), promptFile: 'prompt.md' }],
    ],
    ['a limit beside its budget', [codon('a', { maxCost: 2 }), codon('b', { budget: {}, maxCost: 2 })]],
    ['a missing field', [codon('a', { name: undefined }), codon('b', { continuationMode: undefined })]],
    ['a loop that does not say so', [{ ...looped([codon('b', { onFailure: 'abort' })]), type: undefined }]],
    ['a first codon that goes on', [codon('a', { continuationMode: 'continue-previous' })]],
    ['a rig of a loop, and no word on failure', [looped([codon('b', { rigSetup: [run('true')] })])]],
    [
      'limits above those around them',
      [
        looped([codon('b', { onFailure: 'abort', budget: { maxDollars: 5, maxTimeSeconds: 900 } })], {
          budget: { maxDollars: 1, maxTimeSeconds: 60 },
        }),
      ],
    ],
  ] as const
  for (const [name, items] of faulty)
    verifies(['lsp/quick-fix'], `${name}: every fix removes its problem and adds none`, async () => {
      const folder = await hankFolder(items, { 'prompt.md': 'Work.\n' })
      const editor = await edit(folder.path())
      const hank = folder.path('hank.json')
      const text = readFileSync(hank, 'utf8')
      editor.open(hank, text)
      const before = await editor.diagnostics(hank)
      const params = {
        textDocument: { uri: addressOf(hank) },
        range: wholeOf(text),
        context: { diagnostics: before },
      }
      const actions = await editor.request<CodeAction[]>('textDocument/codeAction', params)
      expect(actions.length).toBeGreaterThan(0)
      for (const { edit: change, diagnostics = before, kind } of actions) {
        editor.change(hank, applied(text, change, hank))
        const left = (await editor.diagnostics(hank)).map(shortOf)
        if (kind === 'quickfix') for (const mended of diagnostics) expect(left).not.toContain(shortOf(mended))
        // A shape that is right at last lets rules speak that could not before; those only warn.
        const now = (await editor.diagnostics(hank)).filter(({ severity }) => severity === 1)
        expect(now.map(kindOf).filter(one => !before.map(kindOf).includes(one))).toEqual([])
        editor.change(hank, text)
        await editor.diagnostics(hank)
      }
    })

  verifies(
    ['lsp/lens'],
    'a hank that has run says what that cost',
    async () => {
      const folder = await hankFolder([codon('a')])
      const editor = await edit(folder.path(), { ...process.env, HOME: folder.path('home') })
      const hank = folder.path('hank.json')
      const titles = async () => {
        editor.open(hank, readFileSync(hank, 'utf8'))
        await editor.diagnostics(hank)
        const textDocument = { uri: addressOf(hank) }
        const found = await editor.request<readonly { readonly command: { readonly title: string } }[]>(
          'textDocument/codeLens',
          { textDocument },
        )
        editor.notify('textDocument/didClose', { textDocument })
        return found.map(({ command }) => command.title)
      }
      expect(await titles()).toEqual(['rehearse', 'validate'])
      expect((await folder.scripted('--headless')).status).toBe(0)
      // What was said of the file before it was closed may be what is heard first.
      await expect.poll(titles).toEqual(['rehearse', 'validate', expect.stringMatching(/\$0.*1 execution/)])
    },
    120_000,
  )

  verifies(
    ['lsp/rename'],
    'another id is written in the hank and in its script, which still rehearses',
    async () => {
      const items = [
        lightCodon('a'),
        {
          type: 'loop',
          id: 'l',
          name: 'L',
          terminateOn: { type: 'iterationLimit', limit: 2 },
          codons: [lightCodon('b', { onFailure: 'abort' })],
        },
      ]
      const folder = await hankFolder(items, {
        'weave.json': lightAgents,
        'rehearsal.json': { codons: { a: [{ say: 'A' }], 'b#0': [{ say: 'B0' }], 'b#1': [{ say: 'B1' }] } },
      })
      const editor = await edit(folder.path())
      const [hank, script] = [folder.path('hank.json'), folder.path('rehearsal.json')]
      const text = readFileSync(hank, 'utf8')
      editor.open(hank, text)
      await editor.diagnostics(hank)
      const at = { textDocument: { uri: addressOf(hank) }, position: positionOf(text, '"b"', 1) }
      await expect(editor.request('textDocument/rename', { ...at, newName: 'a' })).rejects.toThrow('already')
      const change = await editor.request<WorkspaceEdit>('textDocument/rename', { ...at, newName: 'mend' })
      writeFileSync(hank, applied(text, change, hank))
      writeFileSync(script, applied(readFileSync(script, 'utf8'), change, script))
      expect(readFileSync(script, 'utf8')).toMatch(/"mend#0"[\s\S]*"mend#1"/)
      const rehearsed = folder.rehearse('--strict', '--headless')
      expect(rehearsed.status, rehearsed.stderr).toBe(0)
    },
  )

  verifies(
    ['lsp/completion', 'lsp/hover', 'lsp/definition', 'lsp/hints', 'lsp/outline'],
    'suggestions, meanings, places, hints and the outline come from the text as it is',
    async () => {
      const items = [
        codon('a', { promptText: undefined, promptFile: 'a.md', budget: { maxDollars: 2 } }),
        codon('b', { continuationMode: 'continue-previous' }),
      ]
      const folder = await hankFolder(items, { 'a.md': '# Write a guide\n\nNow.\n' })
      const editor = await edit(folder.path())
      const hank = folder.path('hank.json')
      const text = readFileSync(hank, 'utf8')
      editor.open(hank, text)
      await editor.diagnostics(hank)
      const textDocument = { uri: addressOf(hank) }
      const ask = <T>(method: string, piece: string, more = 0) =>
        editor.request<T>(`textDocument/${method}`, { textDocument, position: positionOf(text, piece, more) })
      type Items = readonly { readonly label: string; readonly detail?: string }[]
      const models = await ask<Items>('completion', '"sonnet"', 2)
      expect(models.find(({ label }) => label === 'sonnet')?.detail).toMatch(/\$\d/)
      expect((await ask<Items>('completion', '"a.md"', 1)).map(({ label }) => label)).toEqual(['a.md'])
      expect((await ask<Items>('completion', '"continuationMode"')).map(({ label }) => label)).toContain(
        'retryConfig',
      )
      type Hovered = { readonly contents: { readonly value: string } | readonly string[] }
      const hover = async (piece: string, more: number) =>
        JSON.stringify((await ask<Hovered>('hover', piece, more)).contents)
      expect(await hover('"sonnet"', 2)).toContain('cache read')
      expect(await hover('"a.md"', 2)).toContain('Write a guide')
      expect(await hover('"maxDollars"', 2)).toContain('its own cap')
      expect(await hover('"continuationMode"', 2)).toContain('goes on with the previous one')
      type Places = readonly { readonly uri: string }[]
      expect((await ask<Places>('definition', '"a.md"', 2)).map(({ uri }) => uri)).toEqual([
        addressOf(folder.path('a.md')),
      ])
      expect(await ask<Places>('definition', '"continue-previous"', 2)).toHaveLength(1)
      const range = wholeOf(text)
      const hints = await editor.request<readonly { readonly label: string }[]>('textDocument/inlayHint', {
        textDocument,
        range,
      })
      expect(hints.map(({ label }) => label)).toEqual(
        expect.arrayContaining([expect.stringMatching(/^≤ \$2 · claude-sonnet/)]),
      )
      const symbols = await editor.request<readonly { readonly name: string }[]>(
        'textDocument/documentSymbol',
        { textDocument },
      )
      expect(symbols.map(({ name }) => name)).toEqual(['a', 'b'])
      const squeezed = JSON.stringify(JSON.parse(text))
      editor.change(hank, squeezed)
      const edits = await editor.request<TextEdit[]>('textDocument/formatting', {
        textDocument,
        options: { tabSize: 2, insertSpaces: true },
      })
      expect(
        JSON.parse(TextDocument.applyEdits(TextDocument.create('a:b', 'json', 0, squeezed), edits)),
      ).toEqual(JSON.parse(text))
    },
  )
})

const namesIn = (path: string) => new Set(readdirSync(path, { recursive: true, encoding: 'utf8' }))

const wholeOf = (text: string) => ({
  start: { line: 0, character: 0 },
  end: { line: text.split('\n').length, character: 0 },
})

function applied(text: string, edit: WorkspaceEdit | undefined, path: string): string {
  const edits = edit?.changes?.[addressOf(path)] ?? []
  return TextDocument.applyEdits(TextDocument.create(addressOf(path), 'json', 0, text), edits)
}

describe('a server that an editor can leave on', () => {
  verifies(
    ['lsp/hostile'],
    'random edits, deep and huge texts do not end it',
    async () => {
      const folder = await hankFolder([codon('a')])
      const editor = await edit(folder.path())
      const hank = folder.path('hank.json')
      const text = readFileSync(hank, 'utf8')
      const textDocument = { uri: addressOf(hank) }
      const total = isProof ? 10_000 : 150
      editor.open(hank, text)
      const edits = fc.sample(fc.tuple(fc.nat(1e9), fc.nat(1e9)), { numRuns: total, seed: proofSeed ?? 11 })
      let current = text
      for (const [at, [where, how]] of edits.entries()) {
        current = at % 10 === 0 ? text : mutated(current, where, how)
        editor.change(hank, current)
        const position = { line: where % 20, character: how % 40 }
        await editor.request('textDocument/completion', { textDocument, position })
        await editor.request('textDocument/hover', { textDocument, position })
        await editor.request('textDocument/documentSymbol', { textDocument })
      }
      for (const odd of [
        '['.repeat(200_000),
        `{"hank":"${'x'.repeat(3_000_000)}"}`,
        '{"__proto__":{"hank":[]}}',
        '\ud83d{"hank":[{"id":"\udc00"',
        '',
      ]) {
        editor.change(hank, odd)
        await editor.request('textDocument/completion', { textDocument, position: { line: 0, character: 3 } })
      }
      editor.change(hank, text)
      expect(await editor.diagnostics(hank)).toEqual([])
      tally('random edits of a hank in an editor', total)
    },
    isProof ? 1_800_000 : 300_000,
  )

  verifies(['lsp/silent'], 'leaves the folder as it was', async () => {
    const folder = await hankFolder([codon('a')])
    const before = namesIn(folder.path())
    const editor = await edit(folder.path())
    const hank = folder.path('hank.json')
    const text = '{ "hank": [] }'
    editor.open(hank, text)
    await editor.diagnostics(hank)
    expect(namesIn(folder.path())).toEqual(before)
    expect(readFileSync(hank, 'utf8')).not.toBe(text)
    expect(editor.stderr()).toBe('')
  })

  verifies(
    ['lsp/exit'],
    'ends with 0 after a shutdown, with 1 without one, and when its input ends',
    async () => {
      const folder = await hankFolder([codon('a')])
      const start = () => startEditor({ command: [process.execPath, launcher], cwd: folder.path() })
      expect(await (await start()).close()).toBe(0)
      expect(await (await start()).exit()).toBe(1)
      expect(await (await start()).hangUp()).not.toBeNull()
    },
  )
})
