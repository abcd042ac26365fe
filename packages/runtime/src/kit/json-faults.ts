import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { shown } from './json-fields.ts'

export interface SyntaxFault {
  readonly offset: number
  readonly message: string
}

type Code = ReturnType<typeof printParseErrorCode>

/** What is wrong first with a text that is not JSON and not too deep, with its line; later faults are mostly echoes. */
export function syntaxFault(text: string): SyntaxFault {
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true })
  const [first] = errors
  const fault = first ? faultOf(text, first) : { offset: 0, message: 'the text is not valid JSON' }
  return { offset: fault.offset, message: withLine(text, fault) }
}

function faultOf(text: string, { error, offset, length }: ParseError): SyntaxFault {
  const code = printParseErrorCode(error)
  const comma =
    code === 'PropertyNameExpected' || code === 'ValueExpected' ? commaTooMany(text, offset) : undefined
  if (comma !== undefined)
    return { offset: comma, message: `there is a comma too many before the closing ${text.charAt(offset)}` }
  const message = messages[code]
  if (typeof message === 'string') return { offset, message }
  return { offset, message: message(text.slice(offset, offset + length), text) }
}

const messages: Readonly<Record<Code, string | ((token: string, text: string) => string)>> = {
  InvalidSymbol: invalidSymbol,
  InvalidNumberFormat: token => `${shown(token)} is not a JSON number`,
  PropertyNameExpected: token => `expected a key in double quotes, found ${foundToken(token)}`,
  ValueExpected: (token, text) =>
    text.trim() === ''
      ? 'expected a JSON value, found an empty file'
      : `expected a value, found ${foundToken(token)}`,
  ColonExpected: token => `expected a colon after the key, found ${foundToken(token)}`,
  CommaExpected: token => `expected a comma before ${foundToken(token)}`,
  CloseBraceExpected: 'expected a closing } before the end of the file',
  CloseBracketExpected: 'expected a closing ] before the end of the file',
  EndOfFileExpected: token => `expected the end of the file, found ${foundToken(token)}`,
  InvalidCommentToken: 'comments are not allowed in JSON',
  UnexpectedEndOfComment: 'comments are not allowed in JSON',
  UnexpectedEndOfString: 'the string is not closed on its line',
  UnexpectedEndOfNumber: token => `the number ${shown(token)} is not complete`,
  InvalidUnicode: 'the string has a \\u that is not followed by four hexadecimal digits',
  InvalidEscapeCharacter: 'the string has a backslash that starts no escape; a backslash itself is \\\\',
  InvalidCharacter: 'the string has a control character that must be escaped, such as \\t',
  '<unknown ParseErrorCode>': 'the text is not valid JSON',
}

function invalidSymbol(token: string): string {
  if (token.startsWith("'")) return `${shown(token)} is not JSON: keys and strings need double quotes`
  return `${shown(token)} is not JSON: keys and strings need double quotes, the only other words are true, false and null`
}

function foundToken(token: string): string {
  if (token === '') return 'the end of the file'
  // A string has quotes of its own.
  return token.startsWith('"') && token.length <= longestExcerpt ? shownLine(token) : shown(token)
}

/** The offset of the comma in `[1, ]` and `{"a": 1, }`, when that is what the error is about. */
function commaTooMany(text: string, offset: number): number | undefined {
  const closing = text.charAt(offset)
  if (closing !== '}' && closing !== ']') return undefined
  let before = offset - 1
  while (before >= 0 && ' \t\r\n'.includes(text.charAt(before))) before--
  return text.charAt(before) === ',' ? before : undefined
}

const longestExcerpt = 80

/** The message with the line it is about, cut around the place when the line is long. */
function withLine(text: string, { offset, message }: SyntaxFault): string {
  const before = text.slice(Math.max(0, offset - longestExcerpt / 2), offset).replace(/^.*[\r\n]/s, '')
  const after = text.slice(offset, offset + longestExcerpt - before.length).replace(/[\r\n].*$/s, '')
  const line = `${before}${after}`.trim()
  return line === '' ? message : `${message}, in the line ${shownLine(line)}`
}

/** Between backticks, since JSON is full of quotes. */
function shownLine(line: string): string {
  return `\`${line.replace(/[\u0000-\u001f\u007f-\u009f]/g, character => shown(character).slice(1, -1))}\``
}
