import { isAbsolute } from 'node:path'
import { isReminder, type RequestReading } from './model-request.ts'

const directoryLine = /^[ \t]*(?:[-*] )?(?:primary |current )?working directory: *(\S.*)$/im

/**
 * Where the agent works, if the request says so: harnesses tell their model, in the system prompt or in a note beside the
 * first prompt. Prompts of users are not looked at.
 */
export function workingDirectory({
  system,
  turns,
}: Pick<RequestReading, 'system' | 'turns'>): string | undefined {
  const notes = turns.flatMap(turn => turn.texts.filter(isReminder))
  for (const text of [system, ...notes]) {
    const path = directoryLine.exec(text)?.[1]?.trimEnd()
    if (path !== undefined && isAbsolute(path)) return path
  }
  return undefined
}
