import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type EditorFacts,
  type ForecastRow,
  fileAt,
  findModel,
  flatOutline,
  forecast,
  hintsIn,
  limitsAt,
  listModels,
  modelText,
  type NamedKind,
  outlineOf,
  placeIn,
  plannedCodons,
  readEdited,
  type Suggestion,
  suggestionsAt,
  templateSuggestions,
} from '@weave/runtime'
import {
  type CompletionItem,
  CompletionItemKind,
  type Hover,
  type InlayHint,
  InlayHintKind,
  MarkupKind,
} from 'vscode-languageserver/node'
import { limitRows } from '../validate/sections.ts'
import type { CheckedHank, CheckOptions, HankChecks } from './hank-checks.ts'
import { type Asked, rangeIn, targetOf } from './navigation.ts'
import { type OpenFiles, positionsIn } from './open-files.ts'
import type { SchemaHelp } from './schema-help.ts'

interface TypingHelpOptions {
  readonly files: OpenFiles
  readonly checks: Pick<HankChecks, 'last'>
  readonly schemas: SchemaHelp
  readonly options: Pick<CheckOptions, 'environment'>
}

/** What an editor shows where somebody types: suggestions, meanings, hints. */
export function createTypingHelp({ files, checks, schemas, options }: TypingHelpOptions) {
  const checkedAround = (path: string): CheckedHank | undefined =>
    files.hanksOf(path).flatMap(hank => checks.last(hank) ?? [])[0]

  return {
    async complete({ path, position }: Asked): Promise<readonly CompletionItem[]> {
      const document = positionsIn(files, path)
      const text = document.getText()
      const offset = document.offsetAt(position)
      const item = (suggestion: Suggestion): CompletionItem => ({
        label: suggestion.label,
        kind: itemKinds[suggestion.kind],
        sortText: String(suggestion.rank).padStart(5, '0'),
        filterText: suggestion.text,
        ...(suggestion.detail !== undefined && { detail: suggestion.detail }),
        textEdit: { range: rangeIn(document, suggestion.span), newText: suggestion.text },
      })
      const kind = files.kindOf(path)
      if (kind === 'prompt' || path.endsWith('.md')) return templateSuggestions(text, offset).map(item)
      if (kind === undefined || !readEdited(text).root) return []
      const own = suggestionsAt(
        kind,
        { text, offset },
        factsOf(path, checkedAround(path), { files, options }),
      ).map(item)
      return own.length > 0 ? own : schemas.complete(document, kind, position)
    },

    async hover({ path, position }: Asked): Promise<Hover | undefined> {
      const kind = files.kindOf(path)
      if (kind === undefined || kind === 'prompt') return undefined
      const document = positionsIn(files, path)
      const edited = readEdited(document.getText())
      const offset = document.offsetAt(position)
      if (!edited.root) return undefined
      const own = ownHover({ path, offset, edited }, files, checkedAround(path))
      const field = await schemas.hover(document, kind, position)
      if (own === undefined) return field
      return { contents: { kind: MarkupKind.Markdown, value: joined(own, field) }, ...rangeOf(field) }
    },

    hints(path: string): readonly InlayHint[] {
      const plan = checks.last(path)?.prepared.plan
      if (!plan) return []
      const document = positionsIn(files, path)
      const models = new Map(plannedCodons(plan).map(({ id, model }) => [id, model.id]))
      const facts = { forecast: forecast(plan), modelOf: (id: string) => models.get(id) }
      return hintsIn(readEdited(document.getText()), facts).map(({ offset, text }) => ({
        position: document.positionAt(offset),
        label: text,
        kind: InlayHintKind.Type,
        paddingLeft: true,
      }))
    },
  }
}

/** What is asked of the disk and of the last check while somebody types. */
function factsOf(
  path: string,
  checked: CheckedHank | undefined,
  { files, options }: Pick<TypingHelpOptions, 'files' | 'options'>,
): EditorFacts {
  const codons = () => {
    const hank = files.hanksOf(path)[0]
    const items = hank === undefined ? [] : outlineOf(readEdited(files.textOf(hank) ?? ''))
    return flatOutline(items).filter(({ kind }) => kind === 'codon')
  }
  return {
    models: () => (checked ? listModels(checked.prepared.registry, options) : []),
    files: kind => namesUnder(dirname(path), kind),
    codonIds: () => codons().map(({ id }) => id),
    sentinelIds: () => checked?.prepared.loaded.sentinels.map(({ config }) => config.id) ?? [],
    variables: () => Object.keys(options.environment).sort(),
  }
}

/** The meaning of a model, a file or a limit; undefined where the schema alone knows what a field is. */
function ownHover(
  { path, offset, edited }: Place,
  files: OpenFiles,
  checked: CheckedHank | undefined,
): string | undefined {
  const place = placeIn(edited, offset)
  const word = place && !place.isKey && typeof place.node.value === 'string' ? place.node.value : undefined
  if (word !== undefined && place?.path.at(-1) === 'model') {
    const model = checked && findModel(word, checked.prepared.registry)
    return model && modelText(model)
  }
  const reference = fileAt(edited, offset)
  if (reference) {
    const target = targetOf(path, reference.reference)
    return target === undefined ? undefined : fileText(reference.reference, files.textOf(target))
  }
  const plan = checked?.hank === path ? checked.prepared.plan : undefined
  const found = plan && limitsAt(edited, offset, forecast(plan))
  return found && limitText(found.row)
}

interface Place {
  readonly path: string
  readonly offset: number
  readonly edited: ReturnType<typeof readEdited>
}

const itemKinds: Readonly<Record<Suggestion['kind'], CompletionItemKind>> = {
  model: CompletionItemKind.EnumMember,
  file: CompletionItemKind.File,
  id: CompletionItemKind.Reference,
  event: CompletionItemKind.Event,
  variable: CompletionItemKind.Variable,
}

function fileText(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const heading = /^#{1,6} +(.*)$/m.exec(text)?.[1]
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  const size = `\`${name}\`: ${lines === 1 ? '1 line' : `${lines} lines`}, ${Buffer.byteLength(text)} bytes`
  return heading === undefined ? size : `${size}\n\n**${heading}**`
}

/** The limits of one part, each with where it comes from, in the words of `weave validate`. */
function limitText(row: ForecastRow): string {
  const rows = limitRows(row).map(([, amount = '', origin = '']) => `| ${amount} | ${origin} |`)
  return [`**${row.label}**`, '', '| limit | from |', '|---|---|', ...rows].join('\n')
}

function joined(own: string, field: Hover | undefined): string {
  const { contents } = field ?? {}
  const more = contents && typeof contents === 'object' && 'value' in contents ? contents.value : ''
  return more === '' ? own : `${own}\n\n---\n\n${more}`
}

function rangeOf(field: Hover | undefined): Pick<Hover, 'range'> {
  return field?.range ? { range: field.range } : {}
}

const mostFiles = 2_000
const skipped = new Set(['node_modules', '.git', '.weave'])

/** Regular files below a directory that a field may name, without links. */
function namesUnder(directory: string, kind: NamedKind): readonly string[] {
  const found: string[] = []
  const folders = ['']
  for (let at = 0; at < folders.length && found.length < mostFiles; at++) {
    const folder = folders[at] ?? ''
    for (const entry of entriesOf(join(directory, folder))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name) && folders.length < mostFiles) {
        folders.push(name)
        if (kind === 'tree') found.push(name)
      } else if (entry.isFile() && fits(name, kind)) found.push(name)
    }
  }
  return found.slice(0, mostFiles)
}

function entriesOf(directory: string) {
  try {
    return statSync(directory).isDirectory() ? readdirSync(directory, { withFileTypes: true }) : []
  } catch {
    return []
  }
}

function fits(name: string, kind: NamedKind): boolean {
  if (kind === 'tree') return true
  if (kind === 'prompt') return !name.endsWith('.json')
  return name.endsWith('.json') && !/(^|\/)(hank|strand|weave|rehearsal|package(-lock)?)\.json$/.test(name)
}
