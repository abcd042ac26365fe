import { ask, canAsk } from '../terminal.ts'

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
  const answer = await ask(`${question} [y/N] `)
  return /^y(es)?$/i.test(answer.trim()) ? { ok: true } : { ok: false, message: 'Nothing was done.' }
}
