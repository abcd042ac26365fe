import type { ProblemCode } from '@weave/protocol'
import { didYouMean, nearestNames } from '../kit/index.ts'

/** What a look at a prompt file told. */
export interface PromptFacts {
  readonly bytes: number
  readonly lines: number
}

export function promptFacts(bytes: Buffer): PromptFacts {
  let lines = bytes.length > 0 && bytes.at(-1) !== newline ? 1 : 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines++
  return { bytes: bytes.length, lines }
}

const newline = 0x0a

/** The largest prompt file without a warning. */
const largestPrompt = 1024 * 1024

/** What deserves a second look in a prompt file, each as the end of a sentence about it. Linear. */
export function promptComplaints(bytes: Buffer): readonly (readonly [ProblemCode, string])[] {
  if (bytes.length > largestPrompt)
    return [['hank/prompt-large', 'is larger than 1 MB. Shorten it, or let the agent read it as data.']]
  if (isBlank(bytes)) return [['hank/prompt-empty', 'is empty. Write the prompt, or remove the reference.']]
  // The names of variables are ASCII, and as such this is the quickest text to make of bytes.
  const misspelt = bytes.includes('<%') ? misspeltVariables(bytes.toString('latin1')) : []
  return misspelt.map(words => ['hank/prompt-variable', words] as const)
}

/** Looks no further than the first character that is none. */
function isBlank(bytes: Buffer): boolean {
  const start = bytes.subarray(0, longestBlank).toString('utf8')
  return start.trim() === '' && (bytes.length <= longestBlank || bytes.toString('utf8').trim() === '')
}

const longestBlank = 64

/** What is replaced in a prompt when it is sent. */
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
