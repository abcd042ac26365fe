import * as z from 'zod'
import { answer, rows, untrusted } from '../shapes.ts'
import { type Tool, tool } from '../tool.ts'
import { inputs } from './inputs.ts'

/** What checks, rehearses, runs and steers. */

const problems = {
  field: 'problems',
  next: () => undefined,
}

const validateHank = tool({
  name: 'validate_hank',
  group: 'check',
  title: 'Check a hank',
  description:
    'All problems of a hank and of the files that it names, with place, rule and fixes. Asks nobody, changes nothing.',
  input: inputs.validate_hank,
  output: answer({
    valid: z.boolean(),
    problems: rows,
    counts: z.looseObject({}),
    worstCase: z.looseObject({}),
  }),
  rows: problems,
  load: async () => (await import('./check.ts')).validateHank,
})

const planHank = tool({
  name: 'plan_hank',
  group: 'check',
  title: 'What a hank would do',
  description: 'Codons and loops in order, with models, limits, the worst case and what earlier runs took.',
  input: inputs.plan_hank,
  output: answer({ valid: z.boolean(), structure: rows, forecast: z.looseObject({}), models: rows }),
  rows: { field: 'structure', next: () => undefined },
  load: async () => (await import('./check.ts')).planHank,
})

const previewRollback = tool({
  name: 'preview_rollback',
  group: 'check',
  title: 'What a rollback would do',
  description:
    'Which files change and which codons are undone, and a token that confirms just this rollback within ten minutes. Changes nothing.',
  input: inputs.preview_rollback,
  output: answer({ preview: z.looseObject({}), token: z.string() }),
  load: async () => (await import('./rollback.ts')).previewRollback,
})

const rehearseHank = tool({
  name: 'rehearse_hank',
  group: 'rehearse',
  title: 'Rehearse a hank',
  description:
    'A whole run in an execution of its own in which only the model is a script (rehearsal.json): no key, no cost. Rigs, agents and tools really run. Answers when it has ended or the seconds are over; then go on with wait_for.',
  input: inputs.rehearse_hank,
  output: answer({ execution: z.string(), status: z.string(), codons: rows, untrusted }),
  rows: { field: 'codons', next: () => undefined },
  changes: 'something',
  load: async () => (await import('./start.ts')).rehearseHank,
})

const startedShape = { execution: z.string(), runId: z.string(), url: z.string(), log: z.string() }

const startRun = tool({
  name: 'start_run',
  group: 'run',
  title: 'Start a run',
  description:
    'Starts a hank with real models, which costs money, and comes back at once; the run goes on by itself. Watch it with wait_for.',
  input: inputs.start_run,
  output: answer(startedShape),
  changes: 'something',
  openWorld: true,
  load: async () => (await import('./start.ts')).startRun,
})

const resumeRun = tool({
  name: 'resume_run',
  group: 'run',
  title: 'Go on with an execution',
  description: 'Starts an execution again where it stopped, which costs money unless it is a rehearsal.',
  input: inputs.resume_run,
  output: answer(startedShape),
  changes: 'something',
  openWorld: true,
  load: async () => (await import('./start.ts')).resumeRun,
})

const stopRun = tool({
  name: 'stop_run',
  group: 'run',
  title: 'Stop a run',
  description: 'Ends a run in good order; the codon that runs is given up, and it can be gone on with.',
  input: inputs.stop_run,
  output: answer({ execution: z.string(), status: z.string() }),
  changes: 'destructive',
  load: async () => (await import('./steer.ts')).stopRun,
})

const steerRun = tool({
  name: 'steer_run',
  group: 'steer',
  title: 'Steer a run',
  description:
    'Tells a run that is going on: next (start the next codon), redo (run the last one again), skip (the one that runs), forceStop (end the one that runs at once).',
  input: inputs.steer_run,
  output: answer({ execution: z.string(), action: z.string(), untrusted }),
  changes: 'destructive',
  load: async () => (await import('./steer.ts')).steerRun,
})

const rollback = tool({
  name: 'rollback',
  group: 'steer',
  title: 'Roll back',
  description:
    'Takes an execution in which nothing runs back to a checkpoint: files and conversation. A person is asked; where nobody can be, it needs the token of preview_rollback.',
  input: inputs.rollback,
  output: answer({ done: z.looseObject({}), runId: z.string() }),
  changes: 'destructive',
  idempotent: true,
  load: async () => (await import('./rollback.ts')).rollback,
})

const undoRollback = tool({
  name: 'undo_rollback',
  group: 'steer',
  title: 'Undo a rollback',
  description:
    'Takes an execution to before its last rollback. Confirmed as a rollback is: preview_rollback with undo gives the token.',
  input: inputs.undo_rollback,
  output: answer({ done: z.looseObject({}), runId: z.string() }),
  changes: 'destructive',
  load: async () => (await import('./rollback.ts')).undoRollback,
})

const decideGate = tool({
  name: 'decide_gate',
  group: 'gates',
  title: 'Ask a person to decide on a gate',
  description:
    'Puts the question of a gate to the person, who approves or rejects it with a note. What the caller thinks of it does not count, and without a person nothing is decided.',
  input: inputs.decide_gate,
  output: answer({ execution: z.string(), gate: z.string(), decision: z.string() }),
  changes: 'destructive',
  load: async () => (await import('./gates.ts')).decideGate,
})

export const workTools: readonly Tool[] = [
  validateHank,
  planHank,
  previewRollback,
  rehearseHank,
  startRun,
  resumeRun,
  stopRun,
  steerRun,
  rollback,
  undoRollback,
  decideGate,
]
