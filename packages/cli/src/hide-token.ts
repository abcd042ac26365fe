/**
 * Takes the value of `--token` out of the list of processes, which every user of a machine can read. The title of a process
 * lies where its arguments lay and is as long, so nothing of them stays. `process.argv` keeps its words.
 */
export function hideToken(): void {
  const words = process.argv.slice(2)
  const shown = withoutToken(words)
  if (shown.some((word, index) => word !== words[index])) process.title = ['weave', ...shown].join(' ')
}

/** The words of a command line; what may be a token is replaced. */
export function withoutToken(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    if (words[index - 1] === '--token') return hidden
    return word.startsWith('--token=') ? `--token=${hidden}` : word
  })
}

const hidden = '[hidden]'
