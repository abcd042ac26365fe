import type { ProcessResult } from '../kit/index.ts'
import type { Verdict } from './bisect-search.ts'

/** What the end of a command says of a version. `stop`: nothing can be said, and the search ends. */
export type Judgement =
  | { readonly verdict: Verdict; readonly reason: string }
  | { readonly verdict: 'stop'; readonly message: string }

const skipCode = 125

/** As git has it: 0 good, 125 skip, 126 and 127 cannot be run, 128 and up a signal, all else bad. Pure. */
export function judge(
  result: Pick<ProcessResult, 'outcome' | 'code' | 'signal' | 'error' | 'stopped'>,
): Judgement {
  const { outcome, code, signal, error, stopped } = result
  if (outcome === 'failed-to-start') return cannotRun(error?.message ?? 'it could not be started')
  if (stopped?.reason === 'timeout') return { verdict: 'bad', reason: 'took too long' }
  if (outcome === 'signaled') return { verdict: 'stop', message: `The command was ended by ${signal}.` }
  if (code === 0) return { verdict: 'good', reason: '' }
  if (code === skipCode) return { verdict: 'skip', reason: `exit ${code}` }
  if (code === 126 || code === 127) return cannotRun(`it ended with ${code}`)
  if (code !== null && code >= 128)
    return { verdict: 'stop', message: `The command ended with ${code}: a signal ended what it ran.` }
  return { verdict: 'bad', reason: `exit ${code}` }
}

function cannotRun(reason: string): Judgement {
  return { verdict: 'stop', message: `The command cannot be run: ${reason}.` }
}
