import { createInterface } from 'node:readline/promises'
import { harmless } from 'weave-client'

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
  if (!canAsk()) {
    return {
      ok: false,
      message: `${question}\nNobody is here to answer: add -y to say yes, or ${instead}.`,
    }
  }
  const answer = (await ask(`${question} [y/N] `)) ?? ''
  return /^y(es)?$/i.test(answer.trim()) ? { ok: true } : { ok: false, message: 'Nothing was done.' }
}

export interface Choice {
  /** Single letters; anything else means no. */
  readonly answers: readonly string[]
  /** What to do where nobody can be asked. */
  readonly unasked: string
}

/** Asks a person to choose. Without a terminal nobody can be asked, and the message says what to do. */
export async function decide(
  question: string,
  { answers, unasked }: Choice,
): Promise<
  { readonly ok: true; readonly answer: string } | { readonly ok: false; readonly message: string }
> {
  if (!canAsk()) return { ok: false, message: `${question}\nNobody is here to answer: ${unasked}.` }
  const said = ((await ask(`${question} [${answers.join('/')}/N] `)) ?? '').trim().toLowerCase()
  const answer = answers.find(each => said === each || (each === 'y' && said === 'yes'))
  return answer === undefined ? { ok: false, message: 'Nothing was done.' } : { ok: true, answer }
}

/** Asks a person for what nearly everybody wants: no answer but Enter means yes. Only where somebody can be asked. */
export async function agree(question: string): Promise<boolean> {
  const answer = await ask(`${question} [Y/n] `)
  return answer !== undefined && /^(y(es)?)?$/i.test(answer.trim())
}

/** Whether somebody is there who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** The answer of a person to a question, one line; undefined when they left it. */
async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(harmless(question))
  } catch (error) {
    // Ctrl-D or Ctrl-C at a question is an answer, too: no.
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  } finally {
    lines.close()
  }
}
