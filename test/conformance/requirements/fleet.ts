import type { RequirementTable } from '../requirement.ts'

/** What lets an execution move from machine to machine, and the fleet that moves it. */
export const fleet = {
  'moves/hank-of-this-start':
    'A resumed execution reads prompts and rig files from the hank where this start found it, wherever it was before.',
  'moves/crash-time':
    'The end of a crashed run is never before its last event, also when that was written by a clock ahead of this one.',
  'moves/content-hash':
    'Data that is hashed by content has the same hash wherever it lies and whenever it was written, and another when a byte, a name, a type or an x-bit changes.',
  'moves/hand-over':
    'Nothing follows from the end of an attempt before the one who is handed the execution has answered.',
  'moves/leave':
    'Who is handed the execution may say that the run ends there: no further codon starts, the run is stopped in good order, and the next start goes on after it.',
  'moves/admission':
    'An attempt begins only once it is admitted; while it waits a skip, a stop and a shutdown count, and one that is refused ends the run in good order.',
} as const satisfies RequirementTable
