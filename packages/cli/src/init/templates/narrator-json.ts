/** `sentinels/narrator.json`: the observer of the first codon. */
export const narratorJson = `{
  "id": "narrator",
  "name": "Narrator",
  "description": "Tells what the agent has done, at most one sentence in 30 seconds. It only watches: it cannot change anything.",
  "model": "haiku",
  "trigger": { "type": "event", "on": ["assistant.action", "tool.result"] },
  "execution": { "strategy": "timeWindow", "milliseconds": 30000 },
  "systemPromptText": "You watch an agent at work and tell a busy reader what it does, in one plain sentence. You give no advice.",
  "userPromptText": "The codon is <%= it.codon.name %>. The last events:\\n<%= JSON.stringify(it.events.slice(-15)) %>",
  "llmParams": { "maxOutputTokens": 200 }
}
`
