import { createInterface } from 'node:readline/promises'

export type Confirmed = { readonly ok: true } | { readonly ok: false; readonly message: string }

/**
 * Asks a person; `-y` answers for them. Without a terminal nobody can be asked, and the message says what to do: say yes,
 * or `instead`.
 */
export async function confirm(
  question: string,
  yes: boolean,
  instead = '--start-new to begin anew',
): Promise<Confirmed> {
  if (yes) return { ok: true }
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    return {
      ok: false,
      message: `${question}\nNobody is here to answer: add -y to say yes, or ${instead}.`,
    }
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim()) ? { ok: true } : { ok: false, message: 'Nothing was done.' }
  } finally {
    terminal.close()
  }
}
