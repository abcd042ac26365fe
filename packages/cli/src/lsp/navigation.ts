import { dirname, join, resolve } from 'node:path'
import {
  continuationsOf,
  definitionsAt,
  fileAt,
  fileReferencesIn,
  type HankTexts,
  type InDocument,
  idAt,
  insideOf,
  mentionsOf,
  type OutlineItem,
  outlineOf,
  readEdited,
  renameId,
  type Target,
} from '@weave/runtime'
import {
  type DocumentLink,
  type DocumentSymbol,
  ErrorCodes,
  type Location,
  type Position,
  type Range,
  ResponseError,
  SymbolKind,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver/node'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import { scriptName } from './hank-checks.ts'
import { addressOf, type OpenFiles, positionsIn } from './open-files.ts'

/** A place in an open file. */
export interface Asked {
  readonly path: string
  readonly position: Position
}

/** Going from one place to another: definitions, references, links, the outline, another name for a codon. */
export function createNavigation(files: OpenFiles) {
  const around = (path: string) => aroundIn(files, path)
  const offsetOf = ({ path, position }: Asked) => positionsIn(files, path).offsetAt(position)
  const locationOf = ({ paths }: Around, { document, span }: Target): Location => ({
    uri: addressOf(paths[document]),
    range: rangeIn(positionsIn(files, paths[document]), span),
  })

  return {
    definitions(asked: Asked): readonly Location[] {
      const named = namedFile(files, asked)
      if (named !== undefined) return [{ uri: addressOf(named), range: beginning }]
      const found = around(asked.path)
      if (!found) return []
      const at = { document: found.document, offset: offsetOf(asked) }
      return definitionsAt(found.texts, at).map(target => locationOf(found, target))
    },

    references(asked: Asked): readonly Location[] {
      const found = around(asked.path)
      const id = found && idAt(found.texts, { document: found.document, offset: offsetOf(asked) })?.id
      if (!found || id === undefined) return []
      const targets = [...mentionsOf(found.texts, id), ...continuationsOf(found.texts, id)]
      return targets.map(target => locationOf(found, target))
    },

    prepareRename(asked: Asked): { readonly range: Range; readonly placeholder: string } | undefined {
      const found = around(asked.path)
      const id = found && idAt(found.texts, { document: found.document, offset: offsetOf(asked) })
      if (!found || !id) return undefined
      const { start, end } = id.span
      const range = rangeIn(positionsIn(files, asked.path), { start: start + 1, end: end - 1 })
      return { range, placeholder: id.id }
    },

    rename(asked: Asked, to: string): WorkspaceEdit | undefined {
      const found = around(asked.path)
      const id = found && idAt(found.texts, { document: found.document, offset: offsetOf(asked) })?.id
      if (!found || id === undefined) return undefined
      const renamed = renameId(found.texts, id, to)
      if (!renamed.ok) throw new ResponseError(ErrorCodes.InvalidParams, renamed.message)
      const changes: Record<string, TextEdit[]> = {}
      for (const { document, span, text } of renamed.changes) {
        const { uri, range } = locationOf(found, { document, span })
        changes[uri] = [...(changes[uri] ?? []), { range, newText: text }]
      }
      return { changes }
    },
  }
}

interface Around {
  readonly paths: Readonly<Record<InDocument, string>>
  readonly texts: HankTexts
}

/** The hank and its script, one of which is asked about. */
function aroundIn(files: OpenFiles, path: string): (Around & { readonly document: InDocument }) | undefined {
  const kind = files.kindOf(path)
  const hank = kind === 'hank' ? path : kind === 'rehearsal' ? files.hanksOf(path)[0] : undefined
  if (hank === undefined) return undefined
  const script = kind === 'rehearsal' ? path : join(dirname(hank), scriptName)
  const scriptText = files.textOf(script)
  return {
    document: kind === 'rehearsal' ? 'script' : 'hank',
    paths: { hank, script },
    texts: {
      hank: readEdited(files.textOf(hank) ?? ''),
      script: scriptText === undefined ? undefined : readEdited(scriptText),
    },
  }
}

function namedFile(files: OpenFiles, { path, position }: Asked): string | undefined {
  const document = positionsIn(files, path)
  const reference = fileAt(readEdited(document.getText()), document.offsetAt(position))
  return reference && targetOf(path, reference.reference)
}

/** The files that a document names, to be opened. */
export function linksIn(files: OpenFiles, path: string): readonly DocumentLink[] {
  const document = positionsIn(files, path)
  return fileReferencesIn(readEdited(document.getText())).flatMap(({ reference, span }) => {
    const target = targetOf(path, reference)
    const inner = { start: span.start + 1, end: span.end - 1 }
    return target === undefined ? [] : [{ range: rangeIn(document, inner), target: addressOf(target) }]
  })
}

/** Codons and loops as an outline. */
export function symbolsIn(files: OpenFiles, path: string): readonly DocumentSymbol[] {
  const document = positionsIn(files, path)
  return outlineOf(readEdited(document.getText())).map(item => symbolOf(item, document))
}

const beginning: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }

/** References of a hank and of a sentinel start where the file lies. */
export function targetOf(path: string, reference: string): string | undefined {
  const inside = insideOf(reference)
  return inside === undefined ? undefined : resolve(dirname(path), inside)
}

export function rangeIn(
  document: TextDocument,
  { start, end }: { readonly start: number; readonly end: number },
): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) }
}

function symbolOf(item: OutlineItem, document: TextDocument): DocumentSymbol {
  const range = rangeIn(document, item.whole)
  return {
    name: item.id === '' ? '(no id)' : item.id,
    detail: item.title === item.id ? '' : item.title,
    kind: item.kind === 'loop' ? SymbolKind.Namespace : SymbolKind.Function,
    range,
    selectionRange: item.idSpan ? rangeIn(document, item.idSpan) : { start: range.start, end: range.start },
    children: item.codons.map(codon => symbolOf(codon, document)),
  }
}
