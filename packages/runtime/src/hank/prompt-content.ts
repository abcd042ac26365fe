import { misspeltVariables } from './template-variables.ts'

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

/** The largest prompt file without a warning; 1 MB in the specification is 1,048,576 bytes here. */
const largestPrompt = 1024 * 1024

/** What deserves a second look in a prompt file, each as the end of a sentence about it. Linear. */
export function promptComplaints(bytes: Buffer): readonly string[] {
  if (bytes.length > largestPrompt)
    return ['is larger than 1 MB. Shorten it, or let the agent read it as data.']
  if (isBlank(bytes)) return ['is empty. Write the prompt, or remove the reference.']
  // The names of variables are ASCII, and as such this is the quickest text to make of bytes.
  return bytes.includes('<%') ? misspeltVariables(bytes.toString('latin1')) : []
}

/** Looks no further than the first character that is none. */
function isBlank(bytes: Buffer): boolean {
  const start = bytes.subarray(0, longestBlank).toString('utf8')
  return start.trim() === '' && (bytes.length <= longestBlank || bytes.toString('utf8').trim() === '')
}

const longestBlank = 64
