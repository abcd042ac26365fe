import type { Verdict } from './verdict.ts'

/** TABLE of the ways to tell verdicts to programs. Each is loaded only when it is asked for. */
export const formats: Readonly<Record<string, () => Promise<(verdicts: readonly Verdict[]) => string>>> = {
  github: async () => {
    const { githubLines } = await import('./github.ts')
    return verdicts => githubLines(verdicts).join('\n')
  },
  sarif: async () => {
    const { sarifText } = await import('./sarif.ts')
    return sarifText
  },
  junit: async () => {
    const { junitText } = await import('./junit.ts')
    return junitText
  },
  markdown: async () => {
    const { markdownText } = await import('./markdown.ts')
    return markdownText
  },
}
