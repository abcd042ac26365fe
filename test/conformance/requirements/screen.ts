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
  'repair/screen-left': 'Leaving the screen before the hank is done exits 130 and says how to go on.',
} as const satisfies RequirementTable
