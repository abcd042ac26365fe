import type { EventType, ServerEvent } from 'weave-client'

/** How much of the head an event makes stale. 2: the state is another one; 1: sums have grown; 0: nothing that the head says. */
const weights = {
  'codon.started': 2,
  'codon.completed': 2,
  'codon.extended': 2,
  'codon.retrying': 2,
  'run.started': 2,
  'run.completed': 2,
  'run.parked': 0,
  'gate.armed': 2,
  'gate.waiting': 2,
  'gate.decided': 2,
  'rule.fired': 2,
  'budget.exceeded': 2,
  'loop.iteration.completed': 2,
  'rollback.started': 2,
  'rollback.progress': 2,
  'rollback.codonCheckpoint': 2,
  'rollback.rigCleanup': 2,
  'rollback.completed': 2,
  'server.idle': 2,
  'state.transition': 2,
  'token.usage': 1,
  'sentinel.output': 1,
  error: 0,
} as const satisfies { readonly [type in EventType]?: 0 | 1 | 2 }

/** What a page needs whatever it shows; all else is for who looks at the stream. */
export const stateTypes = Object.keys(weights) as readonly (keyof typeof weights)[]

export function staleness(event: ServerEvent): 0 | 1 | 2 {
  if (event.type === 'state.transition' && event.data.transitionType === 'CostsUpdated') return 1
  return event.type in weights ? weights[event.type as keyof typeof weights] : 0
}
