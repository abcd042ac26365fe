import { format } from 'jsonc-parser'
import type { TextEdit } from 'vscode-languageserver/node'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import { rangeIn } from './navigation.ts'

/** Two spaces, the order as it is. A text that is not JSON stays as it is where it cannot be read. */
export function formatted(document: TextDocument): TextEdit[] {
  const options = { tabSize: 2, insertSpaces: true, eol: '\n', insertFinalNewline: true }
  return format(document.getText(), undefined, options).map(({ offset, length, content }) => ({
    range: rangeIn(document, { start: offset, end: offset + length }),
    newText: content,
  }))
}
