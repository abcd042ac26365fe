import { readFileSync } from 'node:fs'

/** What a client says, in order, and what a reader should see in the answer. */
const chapters: readonly (readonly [title: string, about: string])[] = [
  [
    'The handshake',
    'Five events are in the journal already: the plan, the beginning of the run, and that the server waits.',
  ],
  [
    'The first codon',
    'The command is answered by `codon.started` (`commandId`). Status, costs and checkpoints of the codon move in `state.transition` events. At the end comes the whole picture, `state.snapshot`.',
  ],
  [
    'The second codon, which needs two attempts',
    'Its rig fails, so no agent began: `codon.completed` answers the command. `codon.retrying` says when the next attempt comes; nobody has to do anything.',
  ],
  [
    'Back to the end of the first codon',
    'The second codon is undone, its checkpoints are kept, and a new run begins from there. The last two events tell of the file that is gone.',
  ],
  ['The second codon again', 'In the new run, as attempt 1.'],
  ['The end', 'The server says goodbye with a closing frame: its code and its reason.'],
]

/** A whole run, frame by frame: `transcript.txt`, which a test compares with what a server says. */
export function transcript(): readonly string[] {
  const lines = readFileSync(new URL('transcript.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const starts = lines.flatMap((line, at) => (line.startsWith('> ') ? [at] : []))
  if (starts.length !== chapters.length) throw new Error('Every message of the client needs a chapter.')
  return [
    '## A whole run',
    'Frame by frame, from a real server: a hank of two codons, started with `--no-autostart --keep-alive`. `>` is what the client sent, `<` what it got, `x` how it ended. Ids, times, shas and paths are replaced by short ones, and changes of files stand where they come at the latest: before the checkpoint of their codon. Nothing is left out.',
    ...chapters.flatMap(([title, about], at) => [
      `### ${title}`,
      about,
      `\`\`\`text\n${lines.slice(starts[at], starts[at + 1]).join('\n')}\n\`\`\``,
    ]),
  ]
}
