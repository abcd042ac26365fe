import type { Terminal } from '../../packages/cli/src/terminal.ts'

/** A terminal that keeps what it is told, as it is told. */
export interface HeardTerminal extends Terminal {
  readonly said: { readonly out: readonly string[]; readonly error: readonly string[] }
}

export function heardTerminal(): HeardTerminal {
  const out: string[] = []
  const error: string[] = []
  const hear = (text: string): void => void out.push(text)
  return { said: { out, error }, out: hear, json: hear, raw: hear, error: text => void error.push(text) }
}
