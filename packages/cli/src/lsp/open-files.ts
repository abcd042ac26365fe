import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fileReferencesIn, type Overlay, outlineOf, readEdited } from '@weave/runtime'
import type { TextDocuments } from 'vscode-languageserver/node'
import { TextDocument } from 'vscode-languageserver-textdocument'

export type DocumentKind = 'hank' | 'weave' | 'rehearsal' | 'sentinel' | 'prompt'

/** What an editor has open, and what of it belongs to which hank. */
export interface OpenFiles {
  readonly overlay: Overlay
  document(path: string): TextDocument | undefined
  /** The text as the editor has it, or as it is on the disk; undefined when it is not there or too large to look at. */
  textOf(path: string): string | undefined
  /** The hanks that a file has a part in: itself, or the nearest above it. */
  hanksOf(path: string): readonly string[]
  /** Of those hanks, the ones of files that are open. */
  openHanks(): ReadonlySet<string>
  kindOf(path: string): DocumentKind | undefined
}

const largest = 10 * 1024 * 1024
/** So far up a hank is looked for. */
const mostLevels = 8

export function createOpenFiles(documents: TextDocuments<TextDocument>): OpenFiles {
  const document = (path: string) => documents.get(addressOf(path))
  const overlay: Overlay = path => document(path)?.getText()
  const textOf = (path: string): string | undefined => overlay(path) ?? savedText(path)
  const isThere = (path: string) => document(path) !== undefined || existsSync(path)

  function hanksOf(path: string): readonly string[] {
    if (isHank(path, textOf)) return [path]
    let directory = dirname(path)
    for (let level = 0; level < mostLevels; level++) {
      const found = hankNames.map(name => join(directory, name)).filter(isThere)
      if (found.length > 0) return found
      const above = dirname(directory)
      if (above === directory) break
      directory = above
    }
    return []
  }

  return {
    overlay,
    document,
    textOf,
    hanksOf,
    openHanks: () => new Set(documents.all().flatMap(({ uri }) => pathsOf(uri).flatMap(hanksOf))),
    kindOf(path) {
      const name = basename(path)
      if (isHank(path, textOf)) return 'hank'
      if (name === 'weave.json') return 'weave'
      if (name === 'rehearsal.json') return 'rehearsal'
      const named = hanksOf(path).flatMap(hank =>
        namedIn(hank, textOf).filter(({ target }) => target === path),
      )
      if (named.some(({ kind }) => kind === 'sentinel')) return 'sentinel'
      return named.some(({ kind }) => kind === 'prompt') ? 'prompt' : undefined
    },
  }
}

const hankNames = ['hank.json', 'strand.json']

/** By its name; a file of another name is one when it has items. */
function isHank(path: string, textOf: OpenFiles['textOf']): boolean {
  const name = basename(path)
  if (hankNames.includes(name)) return true
  if (!name.endsWith('.json') || otherNames.has(name)) return false
  const text = textOf(path) ?? ''
  return text.includes('"hank"') && outlineOf(readEdited(text)).length > 0
}

const otherNames = new Set(['weave.json', 'rehearsal.json', 'package.json', 'package-lock.json'])

function namedIn(hank: string, textOf: OpenFiles['textOf']) {
  const text = textOf(hank)
  if (text === undefined) return []
  return fileReferencesIn(readEdited(text)).map(({ kind, reference }) => ({
    kind,
    target: resolve(dirname(hank), reference),
  }))
}

function savedText(path: string): string | undefined {
  try {
    return statSync(path).size <= largest ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

export function addressOf(path: string): string {
  return pathToFileURL(path).href
}

/** The path of a document; none for one that is in no file yet. */
export function pathsOf(address: string): readonly string[] {
  try {
    return [fileURLToPath(address)]
  } catch {
    return []
  }
}

/** A document to reckon positions with, whether it is open or not. */
export function positionsIn(files: OpenFiles, path: string): TextDocument {
  return files.document(path) ?? TextDocument.create(addressOf(path), 'json', 0, files.textOf(path) ?? '')
}
