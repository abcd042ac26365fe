/** How hard a model thinks, in the words that people write behind its name. */
export const thinkingLevels = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type ThinkingLevel = (typeof thinkingLevels)[number]

const suffix = new RegExp(`^(.+)[-:](${thinkingLevels.join('|')})$`, 'i')

/** `sonnet-high` and `openai/gpt-5:low`: the name, and the level behind it. Undefined without one. */
export function splitThinking(
  name: string,
): { readonly name: string; readonly thinking: ThinkingLevel } | undefined {
  const [, before, level] = suffix.exec(name) ?? []
  const thinking = thinkingLevels.find(one => one === level?.toLowerCase())
  return before === undefined || thinking === undefined ? undefined : { name: before, thinking }
}
