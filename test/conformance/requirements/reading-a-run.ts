import type { RequirementTable } from '../requirement.ts'

/** What is said of a run while it goes on and afterwards: its end, its conversation, its report. */
export const readingARun = {
  'repair/done-at-last-checkpoint':
    'A shutdown that comes when the last codon has done its work leaves the run completed.',
  'repair/nothing-left-completed':
    'A start that finds nothing left to do in an execution that was cut short leaves it completed.',
  'repair/rehearsal-again':
    'Codons of a rehearsal that are done again, after a rollback that goes on by itself or by a redo, begin their script again.',
  'repair/breach-words':
    'A limit that was reached is told with whose it is, a share with its percent, and with rounded amounts.',
  'repair/check-words':
    'Output of a command that checks outputs is labelled as a check, and why a codon failed is told in one line of a run without a screen.',
  'repair/outputs-said':
    'The end of a run names the output directory only when something lies there, and braces in a pattern get a warning.',
  'repair/outputs-told':
    'The extension event `outputs.copied` names the files that a codon copied; a report lists them by run and codon, also those of undone codons.',
  'repair/files-of-rigs':
    'All that the checkpoint after a rig holds is told before that checkpoint, and is shown as the work of the rig, not of the codon.',
  'repair/sentinel-calls':
    'What a sentinel was asked is counted without the health check, which is named beside it when there was one.',
  'repair/report-loop-budget': 'A report shows one row for the limit of a loop, with the sum of the loop.',
  'repair/report-safety-name': 'A report calls what was kept before a rollback by that name.',
  'repair/conversation':
    'weave journal --conversation prints prompts as they were sent, answers, tool calls and results, of one codon or of all.',
  'repair/report-conversation': 'A report shows the conversation of a codon, and an event beside the list.',
} as const satisfies RequirementTable
