/**
 * The parts of a unified diff of several files, in their order, each without its head: from the first `@@`, or what git
 * says instead. A line of a file never begins with `diff --git`: it has a sign before it.
 */
export function splitDiff(text: string): readonly string[] {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, at) => (line.startsWith('diff --git ') ? [at] : []))
  return starts.map((start, index) => body(lines.slice(start, starts[index + 1])))
}

function body(lines: readonly string[]): string {
  const first = lines.findIndex(line => line.startsWith('@@'))
  return first === -1 ? '' : lines.slice(first).join('\n').replace(/\n$/, '')
}
