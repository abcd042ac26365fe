import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished } from 'vitest'
import type { CodeAction, Diagnostic } from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { verifies } from '../conformance/verifies.ts'
import { addressOf, type Editor, startEditor } from '../support/editor.ts'
import { codon, command, hankFolder, hankFolderIn, loop } from '../support/hank-folder.ts'
import { type Chance, mutated, slipped } from '../support/hank-mutations.ts'
import { isProof, proofSeed, tally } from '../support/proof.ts'
import { launcher, root } from '../support/weave-command.ts'

/** Every fix that an editor is offered, over hanks with one slip of a person or one random change. */

/** With a field of nearly every kind at every level. */
const rich = {
  meta: { name: 'rich', version: '1.0.0' },
  overrides: { model: 'sonnet', budget: { maxDollars: 9, maxTimeSeconds: 900 } },
  requirements: { env: ['HOME'] },
  globalSystemPromptText: 'Be brief.',
  hank: [
    codon('first', {
      rigSetup: [{ type: 'copy', copy: { from: 'notes.md', to: 'notes.md' } }, command('true')],
      env: { A_WORD: 'x' },
      outputFiles: [{ copy: ['*.md'] }],
      onFailure: 'retry',
      retryConfig: { maxAttempts: 2 },
      budget: { maxDollars: 2, maxTimeSeconds: 60, maxOutputTokens: 9_000 },
    }),
    loop(
      'again',
      [
        codon('second', {
          promptText: undefined,
          promptFile: 'notes.md',
          appendSystemPromptText: 'Slowly.',
          onFailure: 'abort',
          archiveOnSuccess: ['*.tmp'],
          rigSetup: [command('true', { allowFailure: true })],
          budget: { maxDollars: 1 },
        }),
        codon('third', { continuationMode: 'continue-previous', onFailure: 'ignore' }),
      ],
      { budget: { maxDollars: 4 } },
    ),
    codon('last', { shimIdleTimeout: 60, autoCompact: true }),
  ],
}

const batch = 40

describe('a quick fix', () => {
  verifies(
    ['lsp/quick-fix'],
    'removes its problem and adds no error, over random slips and changes in hanks',
    async () => {
      const folder = await hankFolder([codon('a')], { 'home/.keep': '' })
      hankFolderIn(folder.path('base'), rich, { 'notes.md': 'Work.\n' })
      const examples = readdirSync(join(root, 'examples')).filter(name => /^\d/.test(name))
      const bases = [folder.path('base'), ...examples.map(name => join(root, 'examples', name))]
      const editor = await startEditor({
        command: [process.execPath, launcher],
        cwd: folder.path(),
        env: { ...process.env, HOME: folder.path('home') },
      })
      onTestFinished(async () => void (await editor.close()))
      const total = isProof ? 5_000 : 160
      const chance = fc.record({ which: fc.nat(1e9), where: fc.nat(1e9), how: fc.nat(1e9) })
      const chances = fc.sample(chance, { numRuns: total, seed: proofSeed ?? 5 })
      let [offered, moves] = [0, 0]
      for (let from = 0; from < total; from += batch) {
        const mutants = chances
          .slice(from, from + batch)
          .map((one, at) => mutantOf(one, { bases, directory: folder.path(`m${from + at}`) }))
        for (const mended of await mendedAll(editor, mutants)) {
          const { title, mutant } = mended
          expect(faultsOf(mended), `${title} in ${mutant.text}`).toEqual([])
          offered += 1
          moves += Number(title.startsWith('Move'))
        }
      }
      tally('quick fixes applied', offered)
      tally('fields moved by quick fixes', moves)
      expect(offered).toBeGreaterThan(total / 10)
      expect(moves).toBeGreaterThan(0)
    },
    isProof ? 1_800_000 : 120_000,
  )
})

interface Mutant {
  readonly directory: string
  readonly text: string
  /** The same without what the slip was about. */
  readonly bare: string
}

interface Place {
  readonly bases: readonly string[]
  readonly directory: string
}

function mutantOf(chance: Chance, { bases, directory }: Place): Mutant {
  const base = bases[(chance.which >> 8) % bases.length] ?? ''
  cpSync(base, directory, { recursive: true })
  const before = readFileSync(fileIn(directory), 'utf8')
  if (chance.which % 4 === 0) {
    const text = mutated(before, chance.where, chance.how)
    return { directory, text, bare: text }
  }
  const indent = [2, 0, '\t'][chance.where % 3]
  const { hank, bare } = slipped(JSON.parse(before), chance)
  const text = JSON.stringify(hank, null, indent)
  return { directory, text, bare: JSON.stringify(bare) }
}

const fileIn = (directory: string) => join(directory, 'hank.json')

interface Mended {
  readonly mutant: Mutant
  readonly title: string
  /** What the fix is for; of one that mends all, nothing in particular. */
  readonly mends: readonly Diagnostic[]
  readonly before: readonly Diagnostic[]
  readonly bare: readonly Diagnostic[]
  readonly after: readonly Diagnostic[]
}

/** Every fix that is offered for these, applied by itself. */
async function mendedAll(editor: Editor, mutants: readonly Mutant[]): Promise<readonly Mended[]> {
  const before = await checked(editor, mutants)
  const actions = await Promise.all(mutants.map(({ directory, text }) => actionsIn(editor, directory, text)))
  const fixed = mutants.flatMap((mutant, at) =>
    (actions[at] ?? []).map(({ title, edit, diagnostics = [] }) => {
      const address = addressOf(fileIn(mutant.directory))
      const document = TextDocument.create(address, 'json', 0, mutant.text)
      const text = TextDocument.applyEdits(document, edit?.changes?.[address] ?? [])
      return { mutant, title, mends: diagnostics, before: before[at] ?? [], text }
    }),
  )
  const mended = fixed.map(({ mutant, text }, at) => copied(mutant, text, `-${at}`))
  const without = fixed.map(({ mutant }, at) => copied(mutant, mutant.bare, `-${at}-bare`))
  const [after, bare] = [await checked(editor, mended), await checked(editor, without)]
  close(editor, [...mutants, ...mended, ...without])
  return fixed.map((one, at) => ({ ...one, after: after[at] ?? [], bare: bare[at] ?? [] }))
}

function copied({ directory }: Mutant, text: string, ending: string) {
  const other = directory + ending
  cpSync(directory, other, { recursive: true })
  return { directory: other, text }
}

type Text = Pick<Mutant, 'directory' | 'text'>

/** All at once: an editor waits a moment before it checks, and once for all of them. */
async function checked(editor: Editor, some: readonly Text[]): Promise<readonly (readonly Diagnostic[])[]> {
  for (const { directory, text } of some) editor.open(fileIn(directory), text)
  return Promise.all(some.map(({ directory }) => editor.diagnostics(fileIn(directory))))
}

function close(editor: Editor, some: readonly Text[]): void {
  for (const { directory } of some)
    editor.notify('textDocument/didClose', { textDocument: { uri: addressOf(fileIn(directory)) } })
}

function actionsIn(editor: Editor, directory: string, text: string): Promise<readonly CodeAction[]> {
  return editor.request<CodeAction[]>('textDocument/codeAction', {
    textDocument: { uri: addressOf(fileIn(directory)) },
    range: { start: { line: 0, character: 0 }, end: { line: text.split('\n').length, character: 0 } },
    context: { diagnostics: [] },
  })
}

const wordsOf = ({ code, message }: Diagnostic) =>
  `${code} ${typeof message === 'string' ? message : message.value}`

/** A rule speaks only when the shape is right; what it says without the field is not the doing of the fix. */
function faultsOf({ mends, before, bare, after }: Mended): readonly string[] {
  const countOf = (list: readonly Diagnostic[], words: string) =>
    list.filter(one => wordsOf(one) === words).length
  const errors = (list: readonly Diagnostic[], code: unknown) =>
    list.filter(one => one.severity === 1 && one.code === code).length
  const stay = mends.map(wordsOf).filter(words => countOf(after, words) >= countOf(before, words))
  const added = after.filter(
    ({ severity, code }) =>
      severity === 1 && errors(after, code) > Math.max(errors(before, code), errors(bare, code)),
  )
  return [...stay.map(words => `stays: ${words}`), ...added.map(one => `added: ${wordsOf(one)}`)]
}
