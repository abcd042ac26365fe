import { createInterface } from 'node:readline/promises'
import { harmless, harmlessJson } from 'weave-client'

/**
 * Where a command's words go. The only way out of the program beside the terminal UI; handed in, so that a test can read along.
 * Names, errors and files from outside are in these words, so control characters are spelled out here, whoever speaks.
 */
export interface Terminal {
  out(text: string): void
  error(text: string): void
  /** JSON, which stays the same JSON: what must not reach a terminal is escaped in it. */
  json(json: string): void
  /** What is made for other programs and has no control characters from outside in it; written as it is. */
  raw(text: string): void
}

export const processTerminal: Terminal = terminalOn(process.stdout, process.stderr)

type Stream = Pick<NodeJS.WriteStream, 'write'>

export function terminalOn(stdout: Stream, stderr: Stream): Terminal {
  return {
    out: text => void stdout.write(`${harmless(text)}\n`),
    error: text => void stderr.write(`${harmless(text)}\n`),
    json: json => void stdout.write(`${harmlessJson(json)}\n`),
    raw: text => void stdout.write(`${text}\n`),
  }
}

/** Whether somebody is there who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** The answer of a person to a question, one line. */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(harmless(question))
  } finally {
    lines.close()
  }
}

/** Whoever reads along may stop reading (`weave models | head`); that is no fault of the program. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
