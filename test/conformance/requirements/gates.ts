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
} as const satisfies RequirementTable
