import type { RequirementTable } from '../requirement.ts'

/** What must hold whatever happens: kills, full disks, floods, clock jumps. */
export const invariants = {
  // safety Invariants
  'safety/I1': 'Every event that any client received is in the journal after `kill -9` at any moment.',
  'safety/I2':
    'After a kill at each single journal write and sync the restart works, and the journal is a prefix plus at most one cut tail.',
  'safety/I3': 'A `state.json` that is deleted, truncated, stale or bit-flipped changes nothing.',
  'safety/I4': 'Every checkpoint that the state names exists and is complete in git.',
  'safety/I5':
    'A rollback killed anywhere ends after the restart exactly before or exactly after, with untracked bytes untouched.',
  'safety/I6':
    'Of 50 simultaneous starts on one execution one becomes the server and the others say who holds it.',
  'safety/I7':
    'No process with our marker lives 10 s after SIGKILL of the server, and none after SIGTERM, SIGINT, SIGHUP or `server.shutdown`.',
  'safety/I8':
    'An agent that ignores SIGTERM, is stopped or holds a pipe is gone within the grace time plus 2 s.',
  'safety/I9':
    'A budget is overshot by at most the one call in flight, no codon starts after exhaustion, and the ledger is equal after kill and resume.',
  'safety/I10': 'Retries never exceed `maxAttempts`, wait the right delays, and let a retry-after hint win.',
  'safety/I11':
    'A full disk at any moment tears no state, gives a clear fatal error, leaves user files byte-identical, and a resume works once there is space.',
  'safety/I12': 'EIO, EROFS or EMFILE at any point is never reported as success.',
  'safety/I13': 'Output never overwrites without the flag, and a partial copy never has the final name.',
  'safety/I14':
    '20 clients that never read cost the server at most 100 MiB, leave other clients unaffected, and lose nothing after `since`.',
  'safety/I15':
    'A history of 51,200 events and 50 MB arrives complete, in order and without duplicates while live events go on.',
  'safety/I16':
    '1,000 clients, 40,000 malformed messages, 120 malformed frames and ping floods get the right close code or `error`, and the process lives.',
  'safety/I17':
    'Commands of three clients in any order agree with a model of part 3 of the specification: at most one running codon, one end per start.',
  'safety/I18':
    'With a 100 MB tool result, a 1 GB file and 100,000 files the event loop lags under 500 ms and the checkpoint equals the disk.',
  'safety/I19':
    'Clock jumps of hours cause no early timeout and no negative duration, and the order is kept.',
  'safety/I20':
    '`--validate` on any input starts no process, makes no connection with a key before the checks passed, writes nothing but `$schema`, and takes under 5 s.',
} as const satisfies RequirementTable
