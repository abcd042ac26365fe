import type { RequirementTable } from '../requirement.ts'

/** Where a run waits for a person, and who may let it go on. */
export const gates = {
  'gates/commands':
    'gate.decide, gate.hold and gate.release exist for clients that list `weave`; to all others they are UNKNOWN_COMMAND.',
  'gates/file':
    'The key `gates` of weave.json is strict: one place each, ids of their own, known fields only.',
  'gates/places':
    'A gate stands before or after a codon in every iteration, one runtime id, or a loop once; the first and the last codon included; retries and a codon that a person starts are not held.',
  'gates/identity':
    'A decision holds for the attempt it followed and the checkpoint that was seen: after rollback, redo or a change of files the gate asks again.',
  'gates/reject':
    'A rejection stops the run, or leads back to where a codon started and runs everything from there again, so many times and no more; a later start asks anew.',
  'gates/expiry': 'A gate that nobody decided in time is rejected, also when its server was gone meanwhile.',
  'gates/holds': 'A hold makes the run wait before a codon, outlives a restart, and can be taken back.',
  'gates/core-commands':
    'A client that knows only the contract passes a gate with codon.next, bypasses it with codon.start and withdraws the question with codon.redo and rollbacks; server.idle says what is waited for.',
  'gates/durable':
    'A question and its answer are in the journal before they have an effect: a kill at any write leaves the run waiting or decided, never past the gate.',
  'gates/first-wins':
    'Of two decisions on one question the first counts; the second is told who decided and when.',
  'gates/on-gate-exit':
    'With --on-gate exit the run is stopped with the reason `gate <id>` and the command exits with 3.',
  'gates/at-rest':
    'At rest weave gate takes the lock and writes the decision; the next start goes on from it.',
  'gates/lines':
    'Without a screen a gate is one line with its message, and one with the commands that answer it.',
  'gates/list': 'weave list says at which gate an execution waits.',
  'gates/command':
    'weave gate lists, approves and rejects, with a note, --gate and --json; exit 0, 1 when nothing waits or it is another, 2 for wrong usage.',
  'gates/flags':
    '--gate adds gates; --no-gate leaves one out after a yes, journaled as bypassed; a place that the hank does not have is an error with the nearest name.',
  'gates/frozen':
    'Gates freeze with the plan, which says that it needs them; later starts may add, and none is dropped without a word; a plan that needs what is unknown is refused.',
  'gates/time': 'Time at a gate counts for no budget.',
  'gates/script':
    'In a rehearsal the script answers at gates, in order; with --strict a gate without an answer ends it and fails it, and so does an answer that nobody took.',
  'gates/agent-may-watch':
    'On Linux, while there are gates, a client whose process carries the marker of the execution, or descends from one that does, is granted readonly; of the 14 process trees only the two with a clean environment are not known.',
} as const satisfies RequirementTable
