import type { HarnessSpec, ScriptStep } from '@weave/runtime'

/** What the scripted agent does with any codon: it answers and leaves a file that says what it was asked. */
export function greeting({ codonId, prompt }: HarnessSpec): readonly ScriptStep[] {
  const asked = prompt
    .split('\n')
    .slice(0, 3)
    .map(line => `> ${line}`)
    .join('\n')
  return [
    { say: `I was asked ${prompt.length} characters' worth and shall write ${codonId}.md.` },
    {
      write: `${codonId}.md`,
      content: `# ${codonId}\n\nA scripted agent wrote this. It was asked:\n\n${asked}\n`,
    },
    { usage: { input: Math.ceil(prompt.length / 4), output: 40, dollars: 0 } },
    { say: 'Done.' },
  ]
}
