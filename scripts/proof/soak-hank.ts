const narrator = {
  id: 'narrator',
  name: 'Narrator',
  model: 'haiku',
  trigger: { type: 'event', on: ['assistant.action', 'tool.result'] },
  execution: { strategy: 'count', threshold: 3 },
  systemPromptText: 'You tell what happens.',
  userPromptText: '<%= it.events.length %> events',
  // Nothing is hidden from clients, so that they can tell when something is missing.
  reportToWebsocket: { outputs: true, lifecycle: true, errors: true, triggers: true },
  conversational: { trimmingStrategy: { type: 'maxTurns', maxTurns: 10 } },
}

const codon = (id: string, model: string) => ({
  id,
  name: id,
  model,
  continuationMode: 'fresh',
  promptText: 'Count.',
  checkpointedFiles: ['*.txt'],
  sentinels: [{ sentinelConfig: 'narrator.json' }],
})

const clock = {
  type: 'loop',
  id: 'clock',
  name: 'Clock',
  terminateOn: { type: 'iterationLimit', limit: 100_000 },
  codons: [codon('tick', 'openai/gpt-5'), codon('tock', 'sonnet')],
}

const command = 'date > now.txt; tail -n 200 ticks.txt > last.txt; date >> last.txt; cp last.txt ticks.txt'

/** A model thinks before it answers. */
const steps = [
  { use: 'bash', input: { command }, wait: 2_000 },
  { say: 'counted', wait: 2_000 },
]

/**
 * A hank that never ends by itself: a codon for each agent, a sentinel that is asked again and again, files that change and
 * are checkpointed; and the words of its rehearsal.
 */
export const soakFiles = {
  'narrator.json': narrator,
  'hank.json': { $schema: 'x', hank: [clock] },
  'rehearsal.json': { codons: { tick: steps, tock: steps }, sentinels: { narrator: ['So it goes.'] } },
}
