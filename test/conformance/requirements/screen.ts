import type { RequirementTable } from '../requirement.ts'

/** What a person sees and may do on the screen of a run. */
export const screen = {
  'repair/screen-stays':
    'When a codon fails the screen stays, whatever failed, says why and which keys mend it; leaving then exits 1.',
  'repair/screen-again': '`r` on the screen of a failed run does the codon again.',
  'repair/screen-edit':
    '`e` gives the terminal to `$VISUAL` or `$EDITOR` with the prompt files of the codon, takes it back, and does the codon again if they changed.',
  'repair/screen-adopt':
    '`a` leaves the screen, shows what the edited hank changes, asks, and goes on in the same execution on a new screen.',
  'repair/show':
    '`weave show` opens an execution in which nothing runs on the screen of a run, with stream, files and checkpoints; it changes nothing, also where nothing can be written.',
  'repair/screen-whole-execution':
    'Time on the screen and the table at the end are sums over the execution, not of its last run only.',
  'repair/screen-search':
    'A search finds what is shown or unfolds, says which of how many matches it stands on, and unfolds what hides one.',
  'repair/screen-following':
    'A stream that is scrolled up says that it is not followed, how much is new, and the key that follows it again.',
  'repair/screen-next': 'A run that waits for the person at the screen says what `n` starts.',
  'repair/screen-skipped': 'A codon that was skipped by hand is called so and is no failure.',
  'repair/screen-edits':
    'An unfolded edit is shown as lines that went and came, and its path from where the agent works.',
  'repair/screen-prompt':
    '`p` on the screen shows the prompt as it was sent: that of the codon at the cursor, in the stream and in the plan, else of the last one.',
  'repair/screen-left': 'Leaving the screen before the hank is done exits 130 and says how to go on.',
} as const satisfies RequirementTable
