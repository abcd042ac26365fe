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
  'fleet/first-use':
    'Weave submit with --here queues an execution for each data set, works on all of them, and collects their outputs in one folder; no server is installed by hand.',
  'fleet/acknowledged':
    'What weave submit acknowledged is in the tables with its jobs, all of it or nothing; the same key again gives the batch that is there.',
  'fleet/env-files': 'Files called .env or .env.something in the folder of a hank do not go into the store.',
  'fleet/one-writer':
    'The heads of an execution have numbers without gaps, and epochs along them never fall: only the newest epoch publishes, and only the next number.',
  'fleet/one-turn': 'An execution has at most one job at a time, and every claim of it has a new epoch.',
  'fleet/not-again':
    'A codon whose end was published is not run again; a worker that dies costs at most the codon under way.',
  'fleet/take-over': 'What a killed worker had is claimed by another within the lease and 8 seconds.',
  'fleet/zombie':
    'A worker that stood still while another took over publishes nothing when it wakes, and ends its turn.',
  'fleet/drain':
    'A worker that is asked to end hands each execution back after its codon, and another goes on with the next codon.',
  'fleet/cancel':
    'A cancelled batch runs no further codon: queued executions end now, running ones with their codon.',
  'fleet/poison': 'An execution that was started three times in a row without a new head is dead.',
  'fleet/engine-alone':
    'The engine of one person has no port, answers root and others alike, and nothing of it is left when its last client has ended, killed or not.',
  'fleet/parcel-whole':
    'An execution that is unpacked from its parcels has the files, folders, links and x-bits that were packed, whatever changed, grew or went in between.',
  'fleet/parcel-refused':
    'A parcel that is not exactly what its manifest says is refused, and nothing outside of its place is written.',
  'fleet/store-checked': 'An object of a store that is not what its name says is refused.',
  'fleet/root': 'All workers of a fleet use the same root; another is refused with exit code 5.',
  'fleet/no-address': 'Agents and rigs do not see the variables of the fleet.',
  'fleet/package-missing':
    'Without its package a command of the fleet says which one is missing; exit code 1.',
  'fleet/unreachable': 'An engine that cannot be reached is said without its address; exit code 4.',
} as const satisfies RequirementTable
