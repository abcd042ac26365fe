import type { Result } from '../kit/index.ts'
import type { Span } from './edited-text.ts'
import { type HankTexts, type InDocument, mentionsOf } from './navigation.ts'
import { flatOutline, outlineOf } from './outline.ts'

/** A text to be written in the place of a piece of a document. */
export interface TextChange {
  readonly document: InDocument
  readonly span: Span
  readonly text: string
}

/**
 * Gives a codon or a loop another id wherever it is named: in the hank, in its shares, and in the script of its rehearsal,
 * where the number of an iteration stays. Executions that exist keep the old id.
 */
export function renameId(
  texts: HankTexts,
  from: string,
  to: string,
): Result<{ readonly changes: readonly TextChange[] }> {
  const fault = faultOf(to)
  if (fault !== undefined) return { ok: false, message: fault }
  const taken = flatOutline(outlineOf(texts.hank)).some(({ id }) => id === to)
  if (taken && to !== from) return { ok: false, message: `There is a codon or a loop "${to}" already.` }
  const changes = mentionsOf(texts, from).map(({ document, span }) => {
    const written = (document === 'hank' ? texts.hank : texts.script)?.text.slice(span.start, span.end) ?? ''
    const iteration = document === 'script' ? (/#\d+(?="$)/.exec(written)?.[0] ?? '') : ''
    return { document, span, text: JSON.stringify(`${to}${iteration}`) }
  })
  return { ok: true, changes }
}

/** What the loader would refuse, or would take for something else. */
function faultOf(id: string): string | undefined {
  if (id.trim() === '') return 'An id cannot be empty.'
  if (/[\u0000-\u001f\u007f-\u009f]/.test(id)) return 'An id cannot have a control character in it.'
  return /#\d+$/.test(id)
    ? 'An id that ends like the number of an iteration would be taken for one.'
    : undefined
}
