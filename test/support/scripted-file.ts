/** What the scripted agent writes into `<codonId>.md`: the first lines of what it was asked. */
export function scriptedFile(codonId: string, prompt: string): string {
  const asked = prompt
    .split('\n')
    .slice(0, 3)
    .map(line => `> ${line}`)
    .join('\n')
  return `# ${codonId}\n\nA scripted agent wrote this. It was asked:\n\n${asked}\n`
}
