/** Dots, dashes and capitals are what people misremember most (`gpt5`, `claude-sonnet-5.5`), so they do not count. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}/]/gu, '')
}
