import type { RequirementTable } from '../requirement.ts'

/** What a turn of a fleet may ask of providers, and for how long it may act. */
export const fleetLimits = {
  'gateway/every-provider':
    'The gateway of a turn leads to every provider at the address that it would have otherwise, reads what was asked and what it was charged for in each dialect, and leads nowhere else.',
  'gateway/seat':
    'A request at the gateway is held until it may go out; nothing of one that is refused, or whose caller left, goes out; and what became of one is told once.',
  'money/ceiling':
    'What a batch truly spends at its provider is at most its ceiling, whichever turns die at whichever request and go on asking afterwards, and no ceiling below what is lent, spent or in doubt is taken.',
  'money/doubt':
    'What a turn had that ended without a word is in doubt: it counts as spent until somebody says what the bill says, and the books never say less than the truth.',
  'money/accounted':
    'What a turn has certainly spent is in the books of its batch with every head that it publishes, and no longer lent: a death puts in doubt what came after its last head alone.',
  'money/lost': 'No money is lent to an epoch that is not the newest.',
  'money/waits':
    'A turn for whose next request the ceiling leaves too little ends as waiting for budget, its codon neither completed nor failed; it is queued again as soon as there is enough.',
  'money/price':
    'In a batch with a ceiling nothing is asked of a model whose price is not known: weave submit refuses the hank, and the gateway the request.',
  'throttle/rate':
    'Requests of all workers to a provider in any time are at most its rate times that time and a burst of one second; tokens likewise.',
  'throttle/pushed-back':
    'After a provider refused, no worker sends until the end of what it asked for; then the rate grows back slowly.',
  'throttle/running':
    'At most so many codons of a provider run at once in the whole fleet; the place of a turn that is over is free.',
  'leash/timers':
    'Idle limits and time budgets of a codon stand while its agents do; the journal says from when until when.',
  'money/lost-dollars':
    'What turns may have spent that died counts against the dollars of the hank and of the run, and stands in fleet.turn of the next.',
  'money/admission':
    'Before a codon begins its turn is lent what its last request could cost at most; without money nothing begins, and the execution waits.',
  'leash/frozen':
    'The process groups of a turn stand still once 0.7 of the lease has passed since the last heartbeat was sent, by the monotonic clock or by the boot clock, also when the process of the turn stands still; nothing of it goes out to a provider.',
  'leash/thawed':
    'What stood still goes on when a heartbeat is answered again and the turn is still its own.',
  'leash/engine-away':
    'An engine that is killed and back after two seconds costs nothing: nothing is lost, nothing runs twice, no codon starts over.',
} as const satisfies RequirementTable
