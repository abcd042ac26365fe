import { createMatcher } from '../kit/index.ts'
import type { NotifyTarget } from './config.ts'

/** What a target is told that does not say what it wants. */
const usual: readonly string[] = [
  'gate.waiting',
  'gate.expiring',
  'run.ended',
  'budget.exceeded',
  'batch.paused',
]

/** The types that a target is told of. */
export function wantedTypes({ on }: NotifyTarget): ReadonlySet<string> {
  return new Set(on ?? usual)
}

/** Whether a target is told of a hank of this name. */
export function wantsHank({ hanks }: NotifyTarget, hank: string): boolean {
  if (!hanks) return true
  // By the rules of a gitignore file; a pattern that is none fits nothing.
  const matcher = createMatcher(hanks)
  return matcher.ok && matcher.matches(hank.replaceAll('/', ' '), false)
}
