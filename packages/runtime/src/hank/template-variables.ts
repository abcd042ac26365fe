import { didYouMean, nearestNames } from '../kit/index.ts'

/** What is replaced in a prompt when it is sent (specification 2.10). */
export const templateVariables: readonly string[] = ['AGENT_ROOT', 'PROJECT_DIR', 'EXECUTION_DIR', 'DATA_DIR']

/** Long enough for every slip, and short enough for one look at each place. */
const candidates = /<%[A-Z_ ]{1,40}%>/g
const mostTold = 3

/**
 * What looks like a misspelt variable of a prompt, as the end of a sentence about the prompt; each spelling once, at its
 * first place. Other things in `<%…%>` stay as they are on purpose. Linear.
 */
export function misspeltVariables(text: string): readonly string[] {
  const told = new Map<string, string>()
  for (const { 0: written, index } of text.matchAll(candidates)) {
    if (told.size === mostTold) break
    const meant = told.has(written) ? undefined : meantBy(written.slice(2, -2))
    if (meant === undefined) continue
    const hint = didYouMean([`<%${meant}%>`])
    told.set(written, `has ${written} in line ${lineAt(text, index)}, which is not replaced.${hint}`)
  }
  return [...told.values()]
}

/** Undefined for a variable that is spelled well, and for something that is like none of them. */
function meantBy(name: string): string | undefined {
  if (templateVariables.includes(name)) return undefined
  const plain = name.trim().replaceAll(' ', '_')
  return templateVariables.includes(plain) ? plain : nearestNames(plain, templateVariables, 1)[0]
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
