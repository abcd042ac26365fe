import { realpathSync } from 'node:fs'

/** Words that are different in every execution, and what stands for them in a recording. */
export interface LocalWords {
  /** From what an agent or a model said here to what is kept. */
  hide(text: string): string
  /** From what is kept to words that are true here. */
  show(text: string): string
}

const whole = '{{weave:execution}}'
const dashed = '{{weave:execution-name}}'

/** An execution knows itself by its directory, in two spellings: as a path, and as the SDK makes a file name of it. */
export function localWords(executionDir: string): LocalWords {
  const paths = new Set([executionDir, realPath(executionDir)])
  const words = [...paths].flatMap(path => [
    { word: path, kept: whole },
    { word: asFileName(path), kept: dashed },
  ])
  const patterns = words.map(({ word, kept }) => ({ pattern: wholeWord(word), kept }))
  return {
    hide: text => patterns.reduce((left, { pattern, kept }) => left.replace(pattern, kept), text),
    show: text => text.replaceAll(dashed, asFileName(executionDir)).replaceAll(whole, executionDir),
  }
}

/** As long as the name goes on, it is another one. */
function wholeWord(word: string): RegExp {
  return new RegExp(`${word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![\\w-]|\\.\\w)`, 'g')
}

function asFileName(path: string): string {
  return path.replace(/[^A-Za-z0-9]/g, '-')
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
