import { stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface RunArguments {
  readonly hank?: string
  readonly data?: string
}

/**
 * What the words after the command mean. Two: hank and data. One is the hank when it ends in `.json` or is a directory
 * that holds a `hank.json`; otherwise it is the data, and the hank is `./hank.json`, then `<data>/hank.json`.
 */
export async function runArguments(
  words: readonly string[],
): Promise<RunArguments | { readonly problem: string }> {
  const [first, second, ...rest] = words
  if (rest.length > 0)
    return { problem: `Too many arguments: ${rest.join(' ')}. Expected a hank and a data source.` }
  if (first === undefined) return {}
  if (second !== undefined) return { hank: first, data: second }
  if (first.endsWith('.json') || (await isFile(join(first, 'hank.json')))) return { hank: first }
  if (await isFile('hank.json')) return { data: first }
  return { hank: join(first, 'hank.json'), data: first }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    found => found.isFile(),
    () => false,
  )
}
