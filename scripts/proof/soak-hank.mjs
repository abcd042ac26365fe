import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A hank that never ends by itself: a codon for each agent, a sentinel that is asked again and again, files that change and
 * are checkpointed; and the words of its rehearsal.
 *
 * @param {string} dir
 */
export function writeSoakHank(dir) {
  mkdirSync(join(dir, 'home'))
  const sentinel = {
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
  const codon = (/** @type {string} */ id, /** @type {string} */ model) => ({
    id,
    name: id,
    model,
    continuationMode: 'fresh',
    promptText: 'Count.',
    checkpointedFiles: ['*.txt'],
    sentinels: [{ sentinelConfig: 'narrator.json' }],
  })
  const loop = {
    type: 'loop',
    id: 'clock',
    name: 'Clock',
    terminateOn: { type: 'iterationLimit', limit: 100_000 },
    codons: [codon('tick', 'openai/gpt-5'), codon('tock', 'sonnet')],
  }
  write(dir, 'narrator.json', sentinel)
  write(dir, 'hank.json', { $schema: 'x', hank: [loop] })
  const command = 'date > now.txt; tail -n 200 ticks.txt > last.txt; date >> last.txt; cp last.txt ticks.txt'
  const steps = [{ use: 'bash', input: { command } }, { say: 'counted' }]
  write(dir, 'rehearsal.json', {
    codons: { tick: steps, tock: steps },
    sentinels: { narrator: ['So it goes.'] },
  })
}

/** @param {string} dir @param {string} name @param {object} value */
function write(dir, name, value) {
  writeFileSync(join(dir, name), JSON.stringify(value))
}
