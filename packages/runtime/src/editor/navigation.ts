import { type EditedText, placeIn, type Span } from './edited-text.ts'
import { type FileReference, fileReferencesIn } from './file-references.ts'
import {
  continuedBy,
  flatOutline,
  type IdMention,
  type OutlineItem,
  outlineOf,
  scriptedIn,
  sharesIn,
} from './outline.ts'

/** The hank and the script of its rehearsal, of which either may be the document that is asked about. */
export interface HankTexts {
  readonly hank: EditedText
  readonly script?: EditedText | undefined
}

export type InDocument = 'hank' | 'script'

/** A piece of one of the two documents. */
export interface Target {
  readonly document: InDocument
  readonly span: Span
}

/** Where the thing under the cursor is written: a codon that is named or gone on with, or a file. */
export function definitionsAt(
  texts: HankTexts,
  { document, offset }: { readonly document: InDocument; readonly offset: number },
): readonly Target[] {
  const items = outlineOf(texts.hank)
  if (document === 'hank') {
    const going = flatOutline(items).find(({ continues }) => continues && holds(continues, offset))
    if (going) return continuedBy(items, going).map(inHank)
  }
  const id = mentionAt(texts, document, offset)?.id
  return flatOutline(items)
    .filter(item => item.id === id && item.id !== '')
    .map(inHank)
}

/** The id that is named or given at an offset. */
export function idAt(
  texts: HankTexts,
  { document, offset }: { readonly document: InDocument; readonly offset: number },
): IdMention | undefined {
  const own = document === 'hank' ? givenAt(texts.hank, offset) : undefined
  return own ?? mentionAt(texts, document, offset)
}

/** Every place that gives or names an id. */
export function mentionsOf(texts: HankTexts, id: string): readonly Target[] {
  const given = flatOutline(outlineOf(texts.hank)).flatMap(item =>
    item.id === id && item.idSpan ? [{ document: 'hank' as const, span: item.idSpan }] : [],
  )
  const shares = sharesIn(texts.hank).filter(mention => mention.id === id)
  const scripted = texts.script ? scriptedIn(texts.script).filter(mention => mention.id === id) : []
  return [
    ...given,
    ...shares.map(({ span }) => ({ document: 'hank' as const, span })),
    ...scripted.map(({ span }) => ({ document: 'script' as const, span })),
  ]
}

/** Where codons go on with the conversation of one. */
export function continuationsOf({ hank }: HankTexts, id: string): readonly Target[] {
  const items = outlineOf(hank)
  return flatOutline(items).flatMap(codon =>
    codon.continues && continuedBy(items, codon).some(one => one.id === id)
      ? [{ document: 'hank', span: codon.continues }]
      : [],
  )
}

/** The file that is named at an offset. */
export function fileAt(text: EditedText, offset: number): FileReference | undefined {
  const place = placeIn(text, offset)
  if (!place || place.isKey) return undefined
  return fileReferencesIn(text).find(({ span }) => holds(span, offset))
}

function givenAt(hank: EditedText, offset: number): IdMention | undefined {
  const item = flatOutline(outlineOf(hank)).find(({ idSpan }) => idSpan && holds(idSpan, offset))
  return item?.idSpan && item.id !== '' ? { id: item.id, span: item.idSpan } : undefined
}

function mentionAt(texts: HankTexts, document: InDocument, offset: number): IdMention | undefined {
  const mentions = document === 'hank' ? sharesIn(texts.hank) : texts.script ? scriptedIn(texts.script) : []
  return mentions.find(({ span }) => holds(span, offset))
}

function inHank({ idSpan, whole }: OutlineItem): Target {
  return { document: 'hank', span: idSpan ?? { start: whole.start, end: whole.start + 1 } }
}

function holds({ start, end }: Span, offset: number): boolean {
  return offset >= start && offset <= end
}
